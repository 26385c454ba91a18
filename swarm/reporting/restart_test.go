package reporting_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/reporting"
)

func newBus(t *testing.T) *bus.Bus {
	t.Helper()
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func listen(t *testing.T, d *reporting.Desk) (stop func()) {
	t.Helper()
	stop, err := d.Listen(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return stop
}

func turnOf(t *testing.T, task, turn string, r *reports.Report) signals.Any {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reports.NewTurn(turn, reports.Worker{ID: "ann", Task: task}, data)
	if err != nil {
		t.Fatal(err)
	}
	h := s.Head()
	h.Thread = task
	return signals.With(s, h)
}

// logOfTurns has a turn with an escalation, one that is no report, and, where the desk
// listened to these two alone, one more with an escalation.
func logOfTurns(t *testing.T) []signals.Any {
	t.Helper()
	b := newBus(t)
	stop := listen(t, newDesk(t, b, nil))
	ann, err := b.Agent("ann", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	bad := signals.New(signals.Header{Thread: "t", Recipients: signals.To(reports.ToDesk)}, reports.Turn{Report: "no report"})
	for i, s := range []signals.Any{turnOf(t, "t", "t/1", asking("ann", "x", "no key")), bad, turnOf(t, "t", "t/2", asking("ann", "y", "no door"))} {
		if i == 2 {
			stop()
		}
		if _, err := ann.Publish(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	return slices.Collect(b.History(bus.Filter{}))
}

// What is filed is known from the log, in whatever order the bus gets the log and its
// desk, and of whatever types.
func TestRestartFilesExactlyTheUnfiledReports(t *testing.T) {
	log := logOfTurns(t)
	var raw []signals.Any
	for _, s := range log {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		read, err := signals.Unmarshal(data)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, read)
	}
	feed := func(b *bus.Bus, log []signals.Any) {
		t.Helper()
		if err := b.Feed(t.Context(), log...); err != nil {
			t.Fatal(err)
		}
	}
	for name, restart := range map[string]func(b *bus.Bus, l *lead) *reporting.Desk{
		"listens to the feed": func(b *bus.Bus, l *lead) *reporting.Desk {
			d := newDesk(t, b, l.Escalated)
			listen(t, d)
			feed(b, log)
			return d
		},
		"is fed, then listens": func(b *bus.Bus, l *lead) *reporting.Desk {
			d := newDesk(t, b, l.Escalated)
			feed(b, log)
			listen(t, d)
			return d
		},
		"is new on a fed bus": func(b *bus.Bus, l *lead) *reporting.Desk {
			feed(b, log)
			d := newDesk(t, b, l.Escalated)
			listen(t, d)
			return d
		},
		"is rebuilt": func(b *bus.Bus, l *lead) *reporting.Desk {
			feed(b, log)
			d, err := reporting.New(b, &reporting.Options{Conductor: l.Escalated, Log: slices.Values(log)})
			if err != nil {
				t.Fatal(err)
			}
			listen(t, d)
			return d
		},
		"reads raw signals": func(b *bus.Bus, l *lead) *reporting.Desk {
			feed(b, raw)
			d := newDesk(t, b, l.Escalated)
			listen(t, d)
			return d
		},
	} {
		b, l := newBus(t), new(lead)
		d := restart(b, l)
		if len(l.heard) != 1 || l.heard[0].Reason != "no door" {
			t.Errorf("%s: notified of %v", name, l.heard)
		}
		if n := len(d.Open()); n != 2 {
			t.Errorf("%s: %d are open", name, n)
		}
		var kinds []signals.Kind
		for s := range b.History(bus.Filter{After: uint64(len(log))}) {
			kinds = append(kinds, s.Kind())
		}
		want := []signals.Kind{reports.Received{}.Kind(), reports.Block{}.Kind(), reports.ResearchFinding{}.Kind(), reports.Requested{}.Kind()}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Errorf("%s: filed %s", name, diff)
		}
		if c := d.Counts()[reports.Reporter{Worker: "ann"}]; c.Reports != 2 || c.Rejected[reports.ReasonInvalid] != 1 {
			t.Errorf("%s: %+v", name, c)
		}
		listen(t, d)
		if n := b.Last(); n != uint64(len(log)+len(want)) {
			t.Errorf("%s: listening again adds signals: %d", name, n)
		}
	}
}

// A swarm reads its journal without knowing the kinds of reports.
func TestADeskGoesOnWithTheJournalOfASwarm(t *testing.T) {
	j := new(journal.Memory)
	ann := &agents.Agent{ID: "ann", Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
		return agents.Emit(turnOf(t, turn.Thread, fmt.Sprint(turn.Round), asking("ann", "x", "no key")))
	})}
	start := func(b *bus.Bus) *swarm.Swarm {
		t.Helper()
		s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{ann}, Bus: b, Seed: 1, Journal: j, Limits: swarm.Limits{Rounds: 1}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Shutdown(context.Background()) })
		return s
	}
	b := newBus(t)
	d := newDesk(t, b, nil)
	listen(t, d)
	s := start(b)
	if _, err := s.Solve(t.Context(), signals.Task{Task: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(d.Open()) != 1 {
		t.Fatalf("%d are open", len(d.Open()))
	}
	for _, deskFirst := range []bool{true, false} {
		next, l := newBus(t), new(lead)
		var again *reporting.Desk
		if deskFirst {
			again = newDesk(t, next, l.Escalated)
			listen(t, again)
		}
		s := start(next)
		if !deskFirst {
			again = newDesk(t, next, l.Escalated)
			listen(t, again)
		}
		if diff := cmp.Diff(d.Counts(), again.Counts()); diff != "" || len(again.Open()) != 1 || len(l.heard) != 0 {
			t.Errorf("desk first %v: notified %d times, %d open, counts %s", deskFirst, len(l.heard), len(again.Open()), diff)
		}
		if err := s.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
