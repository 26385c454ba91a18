package reporting_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/bustest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/reporting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A lead records the escalations that it is called for.
func newDesk(t testing.TB, b *bus.Bus, c reporting.Conductor) *reporting.Desk {
	t.Helper()
	d, err := reporting.New(b, &reporting.Options{Conductor: c})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func newDeskWith(t testing.TB, b *bus.Bus, gate reports.Options) *reporting.Desk {
	t.Helper()
	d, err := reporting.New(b, &reporting.Options{Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func worker(t testing.TB, d *reporting.Desk, id string) *reporting.Worker {
	t.Helper()
	w, err := d.Worker(reports.Worker{ID: id, Research: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func report(worker, turn string) *reports.Report {
	return &reports.Report{
		TurnID: turn, WorkerID: worker, TaskID: "latency", Status: reports.Running, Summary: "did " + turn,
		Findings: []reports.Finding{{FindingID: "f" + turn, Claim: worker + " found " + turn, Confidence: 0.9, EvidenceRefs: reports.List{"x"}}},
	}
}

func asking(worker, turn, reason string) *reports.Report {
	r := report(worker, turn)
	r.Status, r.Escalations = reports.Blocked, []reports.Escalation{{
		EscalationID: "e" + turn, Kind: reports.Blocker, Reason: reason, Urgency: reports.High,
	}}
	return r
}

func encoded(t testing.TB, r *reports.Report) []byte {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func file(t testing.TB, w *reporting.Worker, r *reports.Report) reporting.Filed {
	t.Helper()
	filed, err := w.Report(t.Context(), encoded(t, r))
	if err != nil {
		t.Fatal(err)
	}
	return filed
}

// The package that folds a log has nothing that could tell somebody: no field,
// parameter or result of what it exports is an interface with a method beyond
// what signals and errors have.
func TestAGateAndAWatcherCanCallNoOne(t *testing.T) {
	gate, watcher := reflect.TypeFor[*reports.Gate](), reflect.TypeFor[*reports.Watcher]()
	allowed := []reflect.Type{reflect.TypeFor[error](), reflect.TypeFor[signals.Any](), reflect.TypeFor[signals.Payload]()}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if seen[typ] || slices.Contains(allowed, typ) {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Interface, reflect.Func, reflect.Chan:
			t.Errorf("%v can be called", typ)
		case reflect.Map:
			walk(typ.Key())
			walk(typ.Elem())
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(typ.Elem())
		case reflect.Struct:
			if !strings.Contains(typ.PkgPath(), "swarmbus/agents/reports") {
				return // time and ids
			}
			for i := range typ.NumField() {
				walk(typ.Field(i).Type)
			}
		}
	}
	for _, root := range []reflect.Type{gate, watcher} {
		walk(root)
		for i := range root.NumMethod() {
			m := root.Method(i).Type
			for k := range m.NumIn() {
				walk(m.In(k))
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("looked at %d types", len(seen))
	}
}

// A process ends, and another reads its journal.
func TestADeskWithAnEarlierLogGoesOnAndNotifiesNoOne(t *testing.T) {
	store := new(journal.Memory)
	codec, err := signals.NewCodec(reports.Payloads()...)
	if err != nil {
		t.Fatal(err)
	}
	clock := bustest.NewClock(bustest.Start)
	start := func() *bus.Bus {
		b, err := bus.New(&bus.Options{Clock: clock.Now, Mint: signals.SeededMint("m"), Sweep: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	b, l := start(), new(lead)
	d := newDesk(t, b, l.Escalated)
	writer, err := journal.Attach(t.Context(), b, store, codec)
	if err != nil {
		t.Fatal(err)
	}
	ann := worker(t, d, "ann")
	first := file(t, ann, asking("ann", "t1", "no key"))
	file(t, ann, asking("ann", "t2", "no door"))
	answer := reports.Decision{Request: first.Accepted[1].ID, By: "lead", Verdict: reports.Answered, Text: "in the safe"}
	if err := d.Decide(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.Close()

	var log []signals.Any
	for s, err := range journal.Signals(store, codec, 0) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, s)
	}
	next, second := start(), new(lead)
	if err := next.Feed(t.Context(), log...); err != nil {
		t.Fatal(err)
	}
	again, err := reporting.New(next, &reporting.Options{Conductor: second.Escalated, Log: slices.Values(log)})
	if err != nil {
		t.Fatal(err)
	}
	if len(second.heard) != 0 || len(l.heard) != 2 {
		t.Errorf("notified %d times at replay, %d live", len(second.heard), len(l.heard))
	}
	if open := again.Open(); len(open) != 1 || open[0].Reason != "no door" {
		t.Errorf("open %v", open)
	}
	if diff := cmp.Diff(d.Counts(), again.Counts()); diff != "" {
		t.Error(diff)
	}
	ann = worker(t, again, "ann")
	repeated := file(t, ann, asking("ann", "t1", "no key"))
	if !repeated.Repeated || repeated.Seq != first.Seq || repeated.Accepted[1].ID != first.Accepted[1].ID {
		t.Errorf("after the restart: %+v", repeated)
	}
	if filed := file(t, ann, asking("ann", "t3", "No key!")); len(filed.Rejected) != 1 || filed.Rejected[0].Reason != reports.ReasonCooldown {
		t.Errorf("after the restart: %s", filed)
	}
	if err := again.Decide(t.Context(), answer); err != nil {
		t.Errorf("the same answer after the restart: %v", err)
	}
	other := answer
	other.By = "boss"
	if err := again.Decide(t.Context(), other); !errors.Is(err, reports.ErrDecided) || !strings.Contains(err.Error(), `"lead"`) {
		t.Errorf("another answer after the restart: %v", err)
	}
	if file(t, ann, asking("ann", "t4", "no light")); len(second.heard) != 1 {
		t.Errorf("notified of what is new %d times", len(second.heard))
	}
}

// Many report at once, with others between; handlers of the bus report too.
func TestADeskKnowsTheLastSignalThatItsBusWasFedWith(t *testing.T) {
	origin, follower := newBus(t), newBus(t)
	desk := newDesk(t, follower, nil)
	file(t, worker(t, newDesk(t, origin, nil), "ann"), asking("ann", "t1", "no key"))
	open := 0
	for s := range origin.History(bus.Filter{}) {
		if err := follower.Feed(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if s.Kind() == (reports.Requested{}).Kind() {
			open++
		}
		if got := len(desk.Open()); got != open {
			t.Errorf("%d open after %s, want %d", got, s.Kind(), open)
		}
	}
	if open != 1 {
		t.Errorf("%d escalations were fed", open)
	}
}

func TestSignalsOfAReportAreContiguous(t *testing.T) {
	b := bustest.New(t, nil)
	d := newDesk(t, b.Bus, nil)
	var wg sync.WaitGroup
	for i := range 8 {
		w := worker(t, d, fmt.Sprint("w", i))
		wg.Go(func() {
			for n := range 20 {
				file(t, w, asking(fmt.Sprint("w", i), fmt.Sprint("t", n), fmt.Sprint("reason ", n)))
				b.Inject("noise", signals.New(signals.Header{Thread: "latency"}, signals.Discovery{Finding: "x"}))
			}
		})
	}
	wg.Wait()
	all := slices.Collect(b.History(bus.Filter{}))
	seen := 0
	for i := 0; i < len(all); {
		received, ok := signals.As[reports.Received](all[i])
		if !ok {
			if slices.Contains(reports.Kinds(), all[i].Kind()) {
				t.Fatalf("%s at %d is of no report", all[i].Kind(), i)
			}
			i++
			continue
		}
		seen++
		for _, s := range all[i : i+1+received.Payload.Signals] {
			if s.Head().Source != received.Source {
				t.Fatalf("at %d: %s by %s between those of %s", i, s.Kind(), s.Head().Source, received.Source)
			}
		}
		kept, _ := d.Receipt(received.Source, received.Payload.TurnID)
		if kept.Signals != 1+received.Payload.Signals || kept.Seq != received.Seq {
			t.Fatalf("receipt %+v", kept)
		}
		i += 1 + received.Payload.Signals
	}
	if seen != 160 {
		t.Errorf("%d reports", seen)
	}
}

func TestAReportFiledByManyAtOnceIsOneReport(t *testing.T) {
	b, l := bustest.New(t, nil), new(lead)
	d := newDesk(t, b.Bus, l.Escalated)
	ann := worker(t, d, "ann")
	var wg sync.WaitGroup
	filed := make([]reporting.Filed, 16)
	for i := range filed {
		wg.Go(func() { filed[i] = file(t, ann, asking("ann", "t1", "no key")) })
	}
	wg.Wait()
	repeated := 0
	for _, f := range filed {
		if f.Repeated {
			repeated++
		}
		if f.Seq != 1 || f.Accepted[0].ID != filed[0].Accepted[0].ID {
			t.Errorf("receipt %+v", f)
		}
	}
	if repeated != 15 || b.Last() != 4 || len(l.heard) != 1 {
		t.Errorf("%d repeated, %d signals, notified %d times", repeated, b.Last(), len(l.heard))
	}
}

// A report is one act of its worker, however many signals it becomes.
func TestTheBusesRateBindsThoseWhoReport(t *testing.T) {
	b := bustest.New(t, &bus.Options{Rate: 1, Burst: 2})
	ann := worker(t, newDesk(t, b.Bus, nil), "ann")
	filed := 0
	for n := range 100 {
		_, err := ann.Report(t.Context(), encoded(t, asking("ann", fmt.Sprint("t", n), fmt.Sprint("reason ", n))))
		var limit *bus.LimitError
		switch {
		case err == nil:
			filed++
		case !errors.As(err, &limit) || limit.Agent != "ann":
			t.Fatal(err)
		}
	}
	if filed != 2 {
		t.Errorf("filed %d of 100 reports, want 2", filed)
	}
}

func TestReportRefusedByTheBusHasNoEffect(t *testing.T) {
	b, l := bustest.New(t, &bus.Options{Rate: 1, Burst: 1}), new(lead)
	d := newDesk(t, b.Bus, l.Escalated)
	ann := worker(t, d, "ann")
	b.Inject("ann", signals.New(signals.Header{}, signals.Discovery{Finding: "x"}))
	if _, err := ann.Report(t.Context(), encoded(t, asking("ann", "t1", "no key"))); err == nil {
		t.Fatal("the bus took it")
	}
	if _, known := d.Receipt("ann", "t1"); known || len(l.heard) != 0 || len(d.Counts()) != 0 || b.Last() != 1 {
		t.Errorf("notified %d times, counts %v, %d signals", len(l.heard), d.Counts(), b.Last())
	}
	b.Advance(time.Second)
	if filed := file(t, ann, asking("ann", "t1", "no key")); filed.Repeated || len(l.heard) != 1 {
		t.Errorf("again: %s", filed)
	}
}

// A conductor may decide at once, and the worker hears it.
func TestTheKindsAreTheDesks(t *testing.T) {
	b := bustest.New(t, nil)
	newDesk(t, b.Bus, nil)
	for _, k := range reports.Kinds() {
		if _, err := b.Agent("eve", bus.Permissions{CanEmit: []signals.Kind{k}}); err == nil {
			t.Errorf("an agent may say %s", k)
		}
	}
	if _, err := reporting.New(bustest.New(t, nil).Bus, &reporting.Options{Gate: reports.Options{Open: -1}}); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("options: %v", err)
	}
	d := newDesk(t, b.Bus, nil)
	for _, w := range []reports.Worker{{}, {ID: "a\n"}, {ID: "a", Task: "\n"}, {ID: "a", Model: "\n"}} {
		if _, err := d.Worker(w); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("worker %+v: %v", w, err)
		}
	}
}

// TestAnEscalationEndsASolveThatGoesOnWithTheAnswer: an agent reports in its
// turn, and the swarm's way to escalate is the conductor.
