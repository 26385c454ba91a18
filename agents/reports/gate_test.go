package reports_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

func kinds(all []signals.Any) (ks []string) {
	for _, s := range all {
		ks = append(ks, string(s.Kind()))
	}
	return ks
}

func TestAcceptedReportBecomesTheCanonicalEvents(t *testing.T) {
	outside := ann
	outside.Research = false
	for _, c := range []struct {
		worker    reports.Worker
		status    reports.Status
		lifecycle string
		prefix    string
	}{
		{ann, reports.Running, "worker.task.progress", "research"},
		{ann, reports.Completed, "worker.task.completed", "research"},
		{outside, reports.Failed, "worker.task.failed", "worker"},
		{outside, reports.Blocked, "worker.task.blocked", "worker"},
	} {
		d := newDesk(t, nil)
		r := full()
		r.Status = c.status
		d.file(c.worker, r)
		want := []string{
			"worker.report.received", c.lifecycle, c.prefix + ".finding.created", c.prefix + ".learning.created",
			"worker.signal.escalation_requested", "artifact.created",
		}
		if diff := cmp.Diff(want, kinds(d.log)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.status, diff)
		}
		if got, _ := signals.As[reports.Received](d.log[0]); got.Payload.Signals != len(want)-1 {
			t.Errorf("received says that %d follow, of %d", got.Payload.Signals, len(want)-1)
		}
		for i, s := range d.log {
			h := s.Head()
			if h.Source != "ann" || h.Thread != "latency" || h.TTL >= 0 {
				t.Errorf("signal %d: %+v", i, h)
			}
		}
	}
}

// Findings and learnings are whole in the log: nothing has to be looked up
// elsewhere.
func TestFindingsAndLearningsAreReadFromTheLogAlone(t *testing.T) {
	codec, err := signals.NewCodec(reports.Payloads()...)
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, nil)
	want := full()
	d.file(ann, want)
	got := reports.Report{}
	for _, s := range d.log {
		read, err := codec.Unmarshal(encode(t, s))
		if err != nil {
			t.Fatal(err)
		}
		switch p := read.Body().(type) {
		case reports.ResearchFinding:
			got.Findings = append(got.Findings, p.Finding)
		case reports.ResearchLearning:
			got.Learnings = append(got.Learnings, p.Learning)
		case reports.Requested:
			got.Escalations = append(got.Escalations, p.Escalation)
		case reports.Created:
			got.Artifacts = append(got.Artifacts, p.Artifact)
		case signals.Raw:
			t.Errorf("%s has no payload type", read.Kind())
		}
	}
	if diff := cmp.Diff([]any{want.Findings, want.Learnings, want.Escalations, want.Artifacts}, []any{got.Findings, got.Learnings, got.Escalations, got.Artifacts}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEveryKindHasAPayload(t *testing.T) {
	if n := len(reports.Kinds()) + 2; n != len(reports.Payloads()) || n != 16 { // and what agents may say
		t.Errorf("%d kinds, %d payloads", n, len(reports.Payloads()))
	}
	if len(slices.Compact(slices.Sorted(slices.Values(reports.Kinds())))) != 14 {
		t.Error("two kinds are the same")
	}
}

func TestEachCheckHasItsReason(t *testing.T) {
	change := func(f func(*reports.Finding)) *reports.Report {
		one := finding("f1", "x is slow")
		f(&one)
		return found("t1", one)
	}
	ask := func(f func(*reports.Escalation)) *reports.Report {
		one := escalation("e1", reports.Help, "which one first")
		f(&one)
		return escalated("t1", one)
	}
	made := func(f func(*reports.Artifact)) *reports.Report {
		r := quiet("t1")
		r.Artifacts = []reports.Artifact{{ArtifactID: "a", Kind: "file", Ref: "x.txt"}}
		f(&r.Artifacts[0])
		return r
	}
	for name, c := range map[string]struct {
		report *reports.Report
		want   string
	}{
		"fine":                     {change(func(*reports.Finding) {}), "[]"},
		"no id":                    {change(func(f *reports.Finding) { f.FindingID = "" }), "[invalid]"},
		"no claim":                 {change(func(f *reports.Finding) { f.Claim = "" }), "[invalid]"},
		"blank claim":              {change(func(f *reports.Finding) { f.Claim = " \u200b…" }), "[invalid]"},
		"claim too long":           {change(func(f *reports.Finding) { f.Claim = strings.Repeat("x", 4097) }), "[invalid]"},
		"claim as long as can be":  {change(func(f *reports.Finding) { f.Claim = strings.Repeat("x", 4096) }), "[]"},
		"no evidence":              {change(func(f *reports.Finding) { f.EvidenceRefs = nil }), "[missing_evidence]"},
		"blank evidence":           {change(func(f *reports.Finding) { f.EvidenceRefs = reports.List{"", " "} }), "[missing_evidence]"},
		"16 references":            {change(func(f *reports.Finding) { f.EvidenceRefs = slices.Repeat(f.EvidenceRefs, 16) }), "[]"},
		"17 references":            {change(func(f *reports.Finding) { f.EvidenceRefs = slices.Repeat(f.EvidenceRefs, 17) }), "[invalid]"},
		"long reference":           {change(func(f *reports.Finding) { f.EvidenceRefs[0] = strings.Repeat("x", 4097) }), "[invalid]"},
		"not sure":                 {change(func(f *reports.Finding) { f.Confidence = 0.5499 }), "[low_confidence]"},
		"sure enough":              {change(func(f *reports.Finding) { f.Confidence = 0.55 }), "[]"},
		"certain":                  {change(func(f *reports.Finding) { f.Confidence = 1 }), "[]"},
		"above 1":                  {change(func(f *reports.Finding) { f.Confidence = 1.01 }), "[invalid]"},
		"below 0":                  {change(func(f *reports.Finding) { f.Confidence = -0.01 }), "[invalid]"},
		"evidence before surety":   {change(func(f *reports.Finding) { f.EvidenceRefs, f.Confidence = nil, 0.1 }), "[missing_evidence]"},
		"learning of nothing":      {learned("t1", 0.9, "so"), "[missing_evidence]"},
		"learning of what is not":  {learned("t1", 0.9, "so", "f9"), "[missing_evidence]"},
		"learning without text":    {learned("t1", 0.9, "!", "f9"), "[invalid]"},
		"escalation":               {ask(func(*reports.Escalation) {}), "[]"},
		"no reason":                {ask(func(e *reports.Escalation) { e.Reason = "?" }), "[invalid]"},
		"no such kind":             {ask(func(e *reports.Escalation) { e.Kind = "panic" }), "[invalid]"},
		"no such urgency":          {ask(func(e *reports.Escalation) { e.Urgency = "" }), "[invalid]"},
		"recommends no option":     {ask(func(e *reports.Escalation) { e.RecommendedOption = "maybe" }), "[invalid]"},
		"recommends nothing":       {ask(func(e *reports.Escalation) { e.RecommendedOption = "" }), "[]"},
		"artifact":                 {made(func(*reports.Artifact) {}), "[]"},
		"artifact without a place": {made(func(a *reports.Artifact) { a.Ref = " " }), "[invalid]"},
		"artifact of no kind":      {made(func(a *reports.Artifact) { a.Kind = "" }), "[invalid]"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			j, got := d.file(ann, c.report)
			if j.Err != nil || why(got) != c.want {
				t.Errorf("got %s %v %v, want %s", why(got), got.Rejected, j.Err, c.want)
			}
		})
	}
}

// Caps count places: what comes first is judged, whatever becomes of it.
func TestCapsCountPlaces(t *testing.T) {
	d := newDesk(t, nil)
	bad := finding("f1", "a")
	bad.Confidence = 0.1
	_, got := d.file(ann, found("t1", bad, finding("f2", "b"), finding("f3", "c"), finding("f4", "d")))
	if s := got.String(); s != "ann t1 running: finding f2; held back: finding low_confidence, finding cap 2 times" {
		t.Errorf("got %s", s)
	}
	capped := got.Rejected[1]
	if capped.Position != 2 || capped.Count != 2 {
		t.Errorf("capped %+v", capped)
	}
	r := full()
	r.TurnID = "t2"
	r.Findings[0].Claim, r.Learnings[0].Insight = "other", "another"
	r.Learnings, r.Escalations, r.Artifacts = slices.Repeat(r.Learnings, 2), slices.Repeat(r.Escalations, 3), slices.Repeat(r.Artifacts, 12)
	_, got = d.file(ann, r)
	var counts []int
	for _, held := range got.Rejected {
		counts = append(counts, held.Count)
	}
	if why(got) != "[cap cap cap]" || !slices.Equal(counts, []int{1, 2, 4}) || len(got.Accepted) != 1+1+1+8 {
		t.Errorf("got %s", got)
	}
	none := newDesk(t, &reports.Options{Findings: -1})
	if _, got := none.file(ann, found("t1", finding("f", "x"))); why(got) != "[cap]" {
		t.Errorf("no findings allowed: %s", got)
	}
}

func TestDuplicatesAreOfAWorkerAndTaskWithinTheWindow(t *testing.T) {
	d := newDesk(t, nil)
	file := func(w reports.Worker, task, turn string, want string) {
		t.Helper()
		r := found(turn, finding("f-"+turn, "the pool is exhausted"))
		r.WorkerID, r.TaskID = w.ID, task
		if _, got := d.file(w, r); why(got) != want {
			t.Errorf("%s %s %s at %v: got %s, want %s", w.ID, task, turn, d.now.Sub(start), why(got), want)
		}
	}
	free, bob := reports.Worker{ID: "ann"}, reports.Worker{ID: "bob"}
	file(free, "latency", "t1", "[]")
	first := d.log[2].Head().ID
	d.now = start.Add(10 * time.Minute)
	file(free, "latency", "t2", "[duplicate]")
	if held, _ := signals.As[reports.Rejected](d.log[len(d.log)-1]); held.Payload.Of != first {
		t.Errorf("a repetition of %s, want %s", held.Payload.Of, first)
	}
	file(free, "errors", "t3", "[]")
	file(bob, "latency", "t1", "[]")
	d.now = start.Add(15 * time.Minute)
	file(free, "latency", "t4", "[duplicate]") // inclusive, and from what was accepted
	d.now = d.now.Add(1)
	file(free, "latency", "t5", "[]")
	file(free, "latency", "t6", "[duplicate]")
	if _, got := d.file(ann, found("t7", finding("a", "same here"), finding("b", "Same here!"))); why(got) != "[duplicate]" {
		t.Errorf("twice in a report: %s", got)
	}
	if _, got := d.file(ann, learned("t8", 0.9, "so be it", "a")); why(got) != "[]" {
		t.Errorf("got %s", got)
	}
	if _, got := d.file(ann, learned("t9", 0.9, "So: be it", "a")); why(got) != "[duplicate]" {
		t.Errorf("the same learning: %s", got)
	}
	if _, got := d.file(ann, found("t10", finding("c", "so be it"))); why(got) != "[]" {
		t.Errorf("a finding is no learning: %s", got)
	}
}

// A rejected item does not make the next one a duplicate.
func TestOnlyAcceptedClaimsMakeDuplicates(t *testing.T) {
	d := newDesk(t, nil)
	doubtful := finding("f1", "the pool is exhausted")
	doubtful.Confidence = 0.3
	d.file(ann, found("t1", doubtful))
	if _, got := d.file(ann, found("t2", finding("f1", "the pool is exhausted"))); why(got) != "[]" {
		t.Errorf("got %s", got)
	}
}

func TestLearningsNameAcceptedFindings(t *testing.T) {
	d := newDesk(t, nil)
	low := finding("f2", "b")
	low.Confidence = 0.2
	r := found("t1", finding("f1", "a"), low)
	r.Learnings = learned("t1", 0.9, "with the same report", "f1").Learnings
	if _, got := d.file(ann, r); why(got) != "[low_confidence]" {
		t.Fatalf("got %s", got)
	}
	event := d.log[2].Head().ID.String()
	bob, far := reports.Worker{ID: "bob", Task: "latency"}, reports.Worker{ID: "bob", Task: "errors"}
	for i, c := range []struct {
		worker   reports.Worker
		supports []string
		want     string
	}{
		{ann, []string{"f1"}, "[]"},
		{ann, []string{"f2"}, "[missing_evidence]"},
		{ann, []string{"f1", "f2"}, "[missing_evidence]"},
		{ann, []string{event}, "[]"},
		{bob, []string{"f1"}, "[missing_evidence]"}, // another worker's name for it
		{bob, []string{event}, "[]"},
		{far, []string{event}, "[missing_evidence]"}, // of another task
		{bob, []string{d.log[0].Head().ID.String()}, "[missing_evidence]"},
	} {
		r := learned(turn(10+i), 0.9, "insight "+turn(i), c.supports...)
		r.WorkerID, r.TaskID = c.worker.ID, c.worker.Task
		if _, got := d.file(c.worker, r); why(got) != c.want {
			t.Errorf("%s %q: got %s, want %s", c.worker.ID, c.supports, why(got), c.want)
		}
	}
	if _, got := d.file(ann, learned("t99", 0.54, "unsure", "f1")); why(got) != "[low_confidence]" {
		t.Errorf("got %s", got)
	}
}

func TestEscalationsCoolDown(t *testing.T) {
	d := newDesk(t, nil)
	step := func(after time.Duration, w reports.Worker, kind reports.EscalationKind, reason, want string) {
		t.Helper()
		d.now = start.Add(after)
		r := escalated(after.String()+w.ID+string(kind), escalation("e", kind, reason))
		r.WorkerID = w.ID
		if _, got := d.file(w, r); why(got) != want {
			t.Errorf("after %v: got %s, want %s", after, why(got), want)
		}
	}
	bob := reports.Worker{ID: "bob"}
	step(0, ann, reports.Blocker, "no access to the database", "[]")
	step(time.Second, ann, reports.Blocker, "No access to the DATABASE!", "[cooldown]")
	step(2*time.Second, ann, reports.Help, "no access to the database", "[]")
	step(3*time.Second, bob, reports.Blocker, "no access to the database", "[]")
	step(90*time.Second, ann, reports.Blocker, "no access to the database", "[cooldown]")
	step(90*time.Second+1, ann, reports.Blocker, "no access to the database", "[]")
	two := newDesk(t, &reports.Options{Escalations: 2})
	if _, got := two.file(ann, escalated("t1", escalation("a", reports.Help, "how"), escalation("b", reports.Help, "How?"))); why(got) != "[cooldown]" {
		t.Errorf("twice in a report: %s", got)
	}
}

func TestAReportSentTwiceIsOneReport(t *testing.T) {
	d := newDesk(t, nil)
	r := full()
	r.Findings = append(r.Findings, finding("f2", " "))
	_, want := d.file(ann, r)
	n := len(d.log)
	d.now = d.now.Add(time.Hour)
	again, err := reports.Decode(encode(t, r))
	if err != nil {
		t.Fatal(err)
	}
	j, got := d.file(ann, again)
	if len(d.log) != n || j.Err != nil || !got.Repeated {
		t.Errorf("%d signals more, repeated %v, %v", len(d.log)-n, got.Repeated, j.Err)
	}
	got.Repeated = false
	if diff := cmp.Diff(want, got, ids); diff != "" {
		t.Errorf("another receipt: -first +second:\n%s", diff)
	}
	other := full()
	other.Summary = "something else"
	j, got = d.file(ann, other)
	var refused *reports.RefusedError
	if !errors.As(j.Err, &refused) || refused.Reason != reports.ReasonDuplicate || len(d.log) != n+1 {
		t.Errorf("another report of the same turn: %v, %d signals more", j.Err, len(d.log)-n)
	}
	if held, known := d.gate.Receipt("ann", "t1"); !known || held.Signals != want.Signals {
		t.Errorf("the refusal is in the receipt: %+v", held)
	}
	bob := reports.Worker{ID: "bob"}
	r.WorkerID = "bob"
	if j, _ := d.file(bob, r); j.Err != nil || len(j.Signals) == 0 {
		t.Errorf("turns of another worker: %v", j.Err)
	}
}

// Every member counts: a report that differs in one of them is another report.
func TestReportsThatDifferInOneMemberAreDifferent(t *testing.T) {
	for i, change := range []func(*reports.Report){
		func(r *reports.Report) { r.Model = "other" },
		func(r *reports.Report) { r.Status = reports.Failed },
		func(r *reports.Report) { r.Summary += "." },
		func(r *reports.Report) { r.Findings[0].FindingID = "g" },
		func(r *reports.Report) { r.Findings[0].Claim += "." },
		func(r *reports.Report) { r.Findings[0].Confidence = 0.91 },
		func(r *reports.Report) { r.Findings[0].EvidenceRefs = reports.List{"a", "b"} },
		func(r *reports.Report) { r.Findings[0].Novel = false },
		func(r *reports.Report) { r.Learnings[0].Insight += "." },
		func(r *reports.Report) { r.Learnings[0].LearningID += "." },
		func(r *reports.Report) { r.Learnings[0].Confidence = 0.7 },
		func(r *reports.Report) { r.Learnings[0].Supports = nil },
		func(r *reports.Report) { r.Learnings[0].ChangesPlan = false },
		func(r *reports.Report) { r.Escalations[0].Kind = reports.Help },
		func(r *reports.Report) { r.Escalations[0].EscalationID = "x" },
		func(r *reports.Report) { r.Escalations[0].Reason += "." },
		func(r *reports.Report) { r.Escalations[0].Urgency = reports.Low },
		func(r *reports.Report) { r.Escalations[0].Options = nil },
		func(r *reports.Report) { r.Escalations[0].RecommendedOption = "yes" },
		func(r *reports.Report) { r.Escalations[0].RequiresHuman = true },
		func(r *reports.Report) { r.Artifacts[0].ArtifactID = "b" },
		func(r *reports.Report) { r.Artifacts[0].Kind = "note" },
		func(r *reports.Report) { r.Artifacts[0].Ref += "." },
		func(r *reports.Report) { r.Artifacts = nil },
		func(r *reports.Report) { r.Learnings = nil },
		func(r *reports.Report) { r.Escalations = nil },
		func(r *reports.Report) { r.Findings = nil },
	} {
		d := newDesk(t, nil)
		d.file(ann, full())
		r := full()
		change(r)
		if j, _ := d.file(ann, r); j.Err == nil {
			t.Errorf("change %d makes no difference", i)
		}
	}
}

func TestReportsInAnotherWorkersNameAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*reports.Report)
		field  string
	}{
		"worker":        {func(r *reports.Report) { r.WorkerID = "bob" }, "worker_id"},
		"task":          {func(r *reports.Report) { r.TaskID = "errors" }, "task_id"},
		"no turn":       {func(r *reports.Report) { r.TurnID = "" }, "turn_id"},
		"bad turn":      {func(r *reports.Report) { r.TurnID = "a\nb" }, "turn_id"},
		"status":        {func(r *reports.Report) { r.Status = "" }, "status"},
		"blank summary": {func(r *reports.Report) { r.Summary = "-" }, "summary"},
		"long summary":  {func(r *reports.Report) { r.Summary = strings.Repeat("x", 5000) }, "summary"},
		"model":         {func(r *reports.Report) { r.Model = "\x00" }, "model"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			r := full()
			c.change(r)
			j, got := d.file(ann, r)
			var refused *reports.RefusedError
			var field *signals.FieldError
			if !errors.As(j.Err, &refused) || !errors.As(j.Err, &field) || field.Field != c.field {
				t.Fatalf("got %v, want the field %s", j.Err, c.field)
			}
			if len(d.log) != 1 || why(got) != "[invalid]" || got.Rejected[0].Part != reports.PartReport || d.log[0].Head().Source != "ann" {
				t.Errorf("in the log: %v %+v", kinds(d.log), got)
			}
			if j, _ := d.file(ann, full()); j.Err != nil {
				t.Errorf("a better report of the turn: %v", j.Err)
			}
		})
	}
	d := newDesk(t, nil)
	j := d.gate.Judge(ann, nil, signals.ID{}, start)
	d.publish(j.Signals...)
	if d.log[0].Head().Thread != "latency" || !errors.Is(j.Err, signals.ErrInvalid) {
		t.Errorf("%+v %v", d.log[0].Head(), j.Err)
	}
}

func TestCountersAreByWorkerAndModel(t *testing.T) {
	d := newDesk(t, nil)
	d.file(ann, full())
	weak := found("t2", finding("x", "same"), finding("y", "same"), finding("z", "more"), finding("z", "more"))
	d.file(ann, weak)
	other := learned("t3", 0.9, "so", "nothing")
	other.Model = "n"
	d.file(ann, other)
	bound := ann
	bound.Model = "known"
	d.file(bound, quiet("t4"))
	d.publish(d.gate.Judge(bound, nil, signals.ID{}, d.now).Signals...)
	want := map[reports.Reporter]reports.Counts{
		{Worker: "ann", Model: "m"}: {
			Reports:  2,
			Accepted: reports.Tally[reports.Part]{reports.PartFinding: 2, reports.PartLearning: 1, reports.PartEscalation: 1, reports.PartArtifact: 1},
			Rejected: reports.Tally[reports.Reason]{reports.ReasonDuplicate: 1, reports.ReasonCap: 2},
		},
		{Worker: "ann", Model: "n"}:     {Reports: 1, Rejected: reports.Tally[reports.Reason]{reports.ReasonMissingEvidence: 1}},
		{Worker: "ann", Model: "known"}: {Reports: 1, Rejected: reports.Tally[reports.Reason]{reports.ReasonInvalid: 1}},
	}
	if diff := cmp.Diff(want, d.gate.Counts(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	c := want[reports.Reporter{Worker: "ann", Model: "m"}]
	if c.Accepted.Total() != 5 || c.Rejected.Total() != 3 {
		t.Errorf("totals %d and %d", c.Accepted.Total(), c.Rejected.Total())
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []reports.Options{
		{Confidence: math.NaN()}, {Confidence: 1.1}, {Open: -1}, {TextBytes: -1}, {TextBytes: 64<<10 + 1}, {Keep: -1}, {Expiry: -1},
	} {
		if _, err := reports.NewGate(&o); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
		if _, err := reports.Instructions(&o); err == nil {
			t.Errorf("%+v: instructions", o)
		}
	}
	if _, err := reports.NewWatcher(&reports.WatchOptions{Repeats: -1}); !errors.Is(err, signals.ErrInvalid) {
		t.Error("watcher:", err)
	}
	if _, err := reports.NewGate(&reports.Options{TextBytes: signals.DefaultTextBytes}); err != nil {
		t.Error("the longest texts:", err)
	}
	sure := finding("f", "it is certain")
	sure.Confidence = 1
	if _, got := newDesk(t, &reports.Options{Confidence: 1}).file(ann, found("t1", sure)); why(got) != "[]" {
		t.Errorf("what is certain: %s", got)
	}
	open := newDesk(t, &reports.Options{Confidence: -1, Window: -1, Cooldown: -1})
	f := finding("f", "x")
	f.Confidence = 0
	if _, got := open.file(ann, found("t1", f, f)); why(got) != "[]" {
		t.Errorf("without bounds: %s", got)
	}
	e := escalation("e", reports.Help, "how")
	open.file(ann, escalated("t2", e))
	if _, got := open.file(ann, escalated("t3", e)); why(got) != "[]" {
		t.Errorf("without cooldown: %s", got)
	}
}
