package reports_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

// run files seeded reports, some of them spam, and decides now and then.
func run(t testing.TB, seed uint64, n int, each func(*desk)) *desk {
	r := rand.New(rand.NewPCG(seed, 0))
	d := newDesk(t, nil)
	for i := range n {
		d.now = d.now.Add(time.Duration(r.IntN(60)) * time.Second)
		w := reports.Worker{ID: []string{"ann", "bob"}[r.IntN(2)], Research: r.IntN(2) == 0}
		report := quiet(turn(max(0, i-r.IntN(2)*r.IntN(3)))) // sometimes a turn that was
		report.WorkerID, report.Status = w.ID, []reports.Status{reports.Running, reports.Failed}[r.IntN(2)]
		for range r.IntN(3) {
			f := finding(fmt.Sprint("f", r.IntN(9)), fmt.Sprint("claim ", r.IntN(9)))
			f.Confidence = r.Float64()
			report.Findings = append(report.Findings, f)
		}
		report.Learnings = learned("", r.Float64()+0.1, fmt.Sprint("insight ", r.IntN(9)), fmt.Sprint("f", r.IntN(9))).Learnings
		if r.IntN(2) == 0 {
			report.Escalations = []reports.Escalation{escalation("e", reports.Help, fmt.Sprint("reason ", r.IntN(4)))}
		}
		d.file(w, report)
		if open := d.gate.Open(d.now); len(open) > 0 && r.IntN(3) == 0 {
			s, err := d.gate.Decide(reports.Decision{Request: open[r.IntN(len(open))].ID, By: "lead", Verdict: reports.Answered, Text: "go on"}, d.now)
			if err != nil {
				t.Fatal(err)
			}
			d.publish(s)
		}
		if each != nil {
			each(d)
		}
	}
	return d
}

func rebuilt(t testing.TB, log []signals.Any, now time.Time) *desk {
	t.Helper()
	d := newDesk(t, nil)
	for _, s := range log {
		d.gate.Apply(s)
	}
	d.log, d.now = slices.Clone(log), now
	return d
}

// TestGateIsAFoldOfTheLog stops a gate anywhere, and goes on with one that read
// what was written, byte for byte as a journal has it: both say the same of what
// comes next.
func TestGateIsAFoldOfTheLog(t *testing.T) {
	codec, err := signals.NewCodec(reports.Payloads()...)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		steps := 0
		d := run(t, seed, 60, func(d *desk) {
			if steps++; steps%10 != 0 {
				return
			}
			var read []signals.Any
			for _, s := range d.log {
				s, err := codec.Unmarshal(encode(t, s))
				if err != nil {
					t.Fatal(err)
				}
				read = append(read, s)
			}
			again := rebuilt(t, read, d.now)
			if diff := cmp.Diff(d.gate.Counts(), again.gate.Counts()); diff != "" {
				t.Fatalf("seed %d: counts: %s", seed, diff)
			}
			if !reflect.DeepEqual(d.gate.Open(d.now), again.gate.Open(d.now)) {
				t.Fatalf("seed %d: open: %v and %v", seed, d.gate.Open(d.now), again.gate.Open(d.now))
			}
			for n := range 20 {
				report := found(turn(steps-10+n), finding("x", fmt.Sprint("claim ", n%9)))
				report.Learnings = learned("", 0.9, fmt.Sprint("insight ", n%9), fmt.Sprint("f", n%9)).Learnings
				report.Escalations = []reports.Escalation{escalation("e", reports.Help, fmt.Sprint("reason ", n%4))}
				for _, at := range []time.Time{d.now, d.now.Add(2 * time.Minute), d.now.Add(20 * time.Minute), start} {
					a, b := d.judge(report, at), again.judge(report, at)
					if !reflect.DeepEqual(a, b) {
						t.Fatalf("seed %d, after %d: %s and %s", seed, steps, a.Receipt, b.Receipt)
					}
				}
			}
		})
		c := d.gate.Counts()[reports.Reporter{Worker: "ann", Model: "m"}]
		if c.Accepted[reports.PartFinding] == 0 || c.Accepted[reports.PartLearning] == 0 || c.Accepted[reports.PartEscalation] == 0 || c.Rejected[reports.ReasonDuplicate] == 0 || c.Rejected[reports.ReasonCooldown] == 0 {
			t.Errorf("seed %d: too little happened: %+v", seed, c)
		}
	}
}

func TestJudgingChangesNothing(t *testing.T) {
	d := run(t, 1, 30, nil)
	before := d.gate.Counts()
	for range 3 {
		a := d.judge(full(), d.now)
		if b := d.judge(full(), d.now); len(a.Signals) == 0 || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s, then %s", a.Receipt, b.Receipt)
		}
	}
	if diff := cmp.Diff(before, d.gate.Counts()); diff != "" {
		t.Error(diff)
	}
}

// The log's time is the greatest so far: a clock that goes back opens no window.
func TestTimeNeverGoesBack(t *testing.T) {
	d := newDesk(t, nil)
	d.now = start.Add(time.Hour)
	d.file(ann, found("t1", finding("f", "x")))
	d.file(ann, escalated("t2", escalation("e", reports.Help, "how")))
	d.now = start // the log has an earlier time, too
	d.file(ann, quiet("t0"))
	for _, at := range []time.Time{start, {}} {
		asks := d.judge(escalated("t4", escalation("e", reports.Blocker, "no key")), at)
		request, _ := signals.As[reports.Requested](asks.Signals[2])
		if want := start.Add(25 * time.Hour); !request.Payload.Expires.Equal(want) {
			t.Errorf("at %v: expires at %v, want %v", at, request.Payload.Expires, want)
		}
		if j := d.judge(found("t3", finding("f", "x")), at); why(j.Receipt) != "[duplicate]" {
			t.Errorf("at %v: %s", at, j.Receipt)
		}
		if n := len(d.gate.Open(at)); n != 1 {
			t.Errorf("%d open at %v", n, at)
		}
	}
}

// The worker's receipt, the gate's and the one that a reader of the log makes are the
// same.
func TestReceiptAgreesWithTheLog(t *testing.T) {
	d := run(t, 3, 80, nil)
	for i := 0; i < len(d.log); {
		received, ok := signals.As[reports.Received](d.log[i])
		if !ok {
			i++
			continue
		}
		end := i + 1 + received.Payload.Signals
		shown := reports.ReceiptOf(d.log[i:end]...)
		kept, known := d.gate.Receipt(received.Source, received.Payload.TurnID)
		if diff := cmp.Diff(shown, kept, ids); !known || diff != "" {
			t.Fatalf("at %d: -log +gate:\n%s", i, diff)
		}
		accepted, rejected := 0, 0
		for _, s := range d.log[i+2 : end] {
			if s.Kind() == (reports.Rejected{}).Kind() {
				rejected++
			} else {
				accepted++
			}
		}
		if len(shown.Accepted) != accepted || len(shown.Rejected) != rejected || shown.Signals != end-i {
			t.Fatalf("at %d: %s", i, shown)
		}
		i = end
	}
}

// A log is read by programs that do not know the kinds, such as a swarm that opens its
// journal: a gate, a receipt and a watcher make the same of what they pass on.
func TestSignalsReadWithoutTheirTypesCountTheSame(t *testing.T) {
	d := newDesk(t, nil)
	d.file(ann, found("t1", finding("f1", "the pool leaks")))
	d.file(ann, escalated("t2", escalation("e1", reports.Help, "no key"), escalation("e2", reports.Help, "no door")))
	d.publish(d.gate.Judge(ann, []byte("no report"), signals.ID{}, d.now).Signals...)
	if err := d.decide(reports.Decision{Request: d.gate.Open(d.now)[0].ID, By: "lead", Verdict: reports.Answered, Text: "in the safe"}); err != nil {
		t.Fatal(err)
	}
	d.file(ann, escalated("t3", escalation("e3", reports.Help, "no light")))
	gate, err := reports.NewGate(nil)
	if err != nil {
		t.Fatal(err)
	}
	var raw []signals.Any
	for _, s := range d.log {
		read, err := signals.Unmarshal(encode(t, s))
		if err != nil {
			t.Fatal(err)
		}
		if _, is := read.Body().(signals.Raw); !is {
			t.Fatalf("%s is read as a %T", s.Kind(), read.Body())
		}
		raw = append(raw, read)
		gate.Apply(read)
	}
	if diff := cmp.Diff(d.gate.Open(d.now), gate.Open(d.now), ids); diff != "" || len(gate.Open(d.now)) != 1 {
		t.Errorf("open: %s", diff)
	}
	if diff := cmp.Diff(d.gate.Counts(), gate.Counts()); diff != "" {
		t.Errorf("counts: %s", diff)
	}
	if diff := cmp.Diff(reports.ReceiptOf(d.log...), reports.ReceiptOf(raw...), ids); diff != "" {
		t.Errorf("receipt: %s", diff)
	}
	typed, untyped := advised(t, d.log), advised(t, raw)
	if diff := cmp.Diff(typed, untyped); diff != "" || len(typed) == 0 {
		t.Errorf("watcher: %s", diff)
	}
}

func advised(t *testing.T, log []signals.Any) (said []reports.Advisory) {
	t.Helper()
	w, err := reports.NewWatcher(&reports.WatchOptions{Repeats: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range log {
		said = append(said, w.Watch(s)...)
	}
	return said
}

// A log of two machines may have a signal of a turn behind another turn's report: it is in
// neither receipt, and neither is the refusal of a report.
func TestAReceiptHasTheSignalsOfItsReportAlone(t *testing.T) {
	d := newDesk(t, nil)
	d.file(ann, found("t1", finding("f1", "one")))
	_, second := d.file(ann, found("t2", finding("f2", "two")))
	first, _ := d.gate.Receipt("ann", "t1")
	d.publish(d.log[2])
	d.publish(d.gate.Judge(ann, []byte("no report"), signals.ID{}, d.now).Signals...)
	for turn, want := range map[string]reports.Receipt{"t1": first, "t2": second} {
		if got, _ := d.gate.Receipt("ann", turn); got.Signals != 3 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", turn, got, want)
		}
	}
}

// Every signal of the package reads as a sentence about its source.
func TestSignalsAreReadAsSentences(t *testing.T) {
	d := newDesk(t, nil)
	r := full()
	r.Findings = append(r.Findings, finding("f2", "The disk is full."), finding("f3", "x"), finding("f4", "y"))
	r.Findings[1].EvidenceRefs = nil
	d.file(ann, r)
	for i, status := range []reports.Status{reports.Completed, reports.Failed, reports.Blocked} {
		r := quiet(turn(2 + i))
		r.Status = status
		d.file(ann, r)
	}
	request := d.gate.Open(d.now)[0].ID
	if err := d.decide(reports.Decision{Request: request, By: "lead", Verdict: reports.Refused, Option: "no", Text: "on staging first"}); err != nil {
		t.Fatal(err)
	}
	d.publish(signals.New(signals.Header{Source: "watcher"}, reports.Advisory{Concern: reports.Stall, Text: "bob has said nothing"}))
	said, err := reports.NewTurn("t9", ann, encode(t, quiet("x")))
	if err != nil {
		t.Fatal(err)
	}
	d.publish(signals.With(said, signals.Header{Source: "ann"}), reports.NewRuling(reports.Ruling{Request: request, Verdict: reports.Answered, Text: "go on"}))
	var got []string
	for _, s := range d.log {
		line := fmt.Sprint(s.Body())
		if !slices.Contains(got, line) {
			got = append(got, line)
		}
	}
	want := []string{
		"reports turn t1 (running): read on in t1",
		"goes on with the task: read on in t1",
		"found: the pool is exhausted (90% sure)",
		"finding f2 rejected, missing_evidence: no evidence_refs",
		"2 findings rejected, cap: 4, more than 2 in a report",
		"learned: look at the pool first (80% sure)",
		"asks the conductor (approval, high urgency): restart the pool in production",
		"made a dataset: sha256:17",
		"reports turn t2 (completed): read on in t2",
		"has completed the task: read on in t2",
		"reports turn t3 (failed): read on in t3",
		"has failed at the task: read on in t3",
		"reports turn t4 (blocked): read on in t4",
		"is blocked: read on in t4",
		"decides on escalation e1: refused, no, on staging first",
		"advises of a stall: bob has said nothing",
		"sends its report (running): read on in x",
		"rules on an escalation: answered, go on",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
