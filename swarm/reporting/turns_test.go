package reporting_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

const turnReport = `{"turn_id":"","worker_id":"","task_id":"","model":"","status":"running","summary":"Looked.",
	"findings":[{"finding_id":"f1","claim":"it is slow","confidence":0.9,"evidence_refs":["log:1"],"novel":true}],
	"learnings":[],"escalations":[],"artifacts":[]}`

// What an agent says as a report is filed once, in its name, while the desk listens:
// behind it, and directly so if no one else publishes.
func TestReportsOfTurnsAreFiledBehindThem(t *testing.T) {
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	d := newDesk(t, b, nil)
	stop, err := d.Listen(func(worker string) bool { return worker != "ann" })
	if err != nil {
		t.Fatal(err)
	}
	ann, err := b.Agent("ann", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	say := func(turn string) {
		t.Helper()
		s, err := reports.NewTurn(turn, reports.Worker{ID: "ann", Task: "t", Model: "m"}, []byte(turnReport))
		if err == nil {
			h := s.Head()
			h.Thread = "t"
			_, err = ann.Publish(t.Context(), signals.With(s, h))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var kinds []signals.Kind
	news := func() []signals.Kind {
		old := len(kinds)
		kinds = nil
		for s := range b.History(bus.Filter{}) {
			if s.Head().Source != "ann" {
				t.Errorf("%s is said by %s", s.Kind(), s.Head().Source)
			}
			kinds = append(kinds, s.Kind())
		}
		return kinds[old:]
	}
	say("t/1")
	want := []signals.Kind{reports.Turn{}.Kind(), reports.Received{}.Kind(), reports.Progress{}.Kind(), reports.WorkerFinding{}.Kind()}
	if diff := cmp.Diff(want, news()); diff != "" {
		t.Error(diff)
	}
	say("t/1") // as after a crash
	if diff := cmp.Diff(want[:1], news()); diff != "" {
		t.Errorf("the same again: %s", diff)
	}
	bad := signals.New(signals.Header{Thread: "t", Recipients: signals.To(reports.ToDesk)}, reports.Turn{Report: "no report"})
	if _, err := ann.Publish(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	if got := news(); !slices.Equal(got, []signals.Kind{reports.Turn{}.Kind(), reports.Rejected{}.Kind()}) {
		t.Errorf("no report: %v", got)
	}
	if n := d.Counts()[reports.Reporter{Worker: "ann", Model: "m"}].Accepted.Total(); n != 1 {
		t.Errorf("%d items are accepted", n)
	}
	stop()
	say("t/2")
	if got := news(); len(got) != 1 {
		t.Errorf("after it stopped: %v", got)
	}
}

// A report that is refused is in the log, where its turn was handled: it is no
// handler's failure.
func TestARefusedReportIsNoDeadLetter(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b, nil)
	listen(t, d)
	ann, err := b.Agent("ann", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	var dead []error
	stop := b.Observe(func(e bus.Event) {
		if s, ok := e.(bus.Settled); ok && s.Disposition == bus.DeadFailed {
			dead = append(dead, s.Err)
		}
	})
	defer stop()
	for _, report := range []string{`{`, `{"turn_id":"t1","worker_id":"bob"}`} {
		turn := signals.New(signals.Header{Thread: "t", Confidence: 1, Recipients: signals.To(reports.ToDesk)}, reports.Turn{Report: report})
		if _, err := ann.Publish(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	refused := 0
	for range b.History(bus.Filter{Kinds: []signals.Kind{reports.Rejected{}.Kind()}}) {
		refused++
	}
	if refused != 2 || len(dead) > 0 {
		t.Errorf("%d of 2 are refused in the log, and dead letters are %v", refused, dead)
	}
}

// What files a report is who has to stop waiting for the conductor.
func TestTheConductorIsCalledWithTheReportersContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := newDesk(t, newBus(t), func(ctx context.Context, _ reports.Request) error {
		cancel()
		return ctx.Err()
	})
	filed, err := worker(t, d, "ann").Report(ctx, encoded(t, asking("ann", "t1", "may I?")))
	if err != nil || !errors.Is(filed.ConductorErr, context.Canceled) {
		t.Errorf("%v, notified with %v", err, filed.ConductorErr)
	}
}

// What was filed is what replies to the turn, not whatever was filed behind it; and a
// turn that is for others is not the desk's.
func TestATurnInTheHistoryIsFiledUnlessItWas(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b, nil)
	ann, err := b.Agent("ann", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	for turn, to := range map[string]string{"t1": reports.ToDesk, "t2": "another"} {
		s, err := reports.NewTurn(turn, reports.Worker{ID: "ann", Task: "latency"}, []byte(turnReport))
		if err != nil {
			t.Fatal(err)
		}
		h := s.Head()
		h.Thread, h.Recipients = "latency", signals.To(to)
		if _, err := ann.Publish(t.Context(), signals.With(s, h)); err != nil {
			t.Fatal(err)
		}
	}
	file(t, worker(t, d, "bob"), report("bob", "b1"))
	listen(t, d)
	if _, filed := d.Receipt("ann", "t1"); !filed {
		t.Error("the report of a turn before another's report is not filed")
	}
	if _, filed := d.Receipt("ann", "t2"); filed {
		t.Error("a turn for another is filed")
	}
}
