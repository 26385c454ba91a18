package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// watched is a team in which a timer of a's strategy asks a person if no signal let a
// go on, and one of a's own counts. Its clock stands still unless the solve waits.
func watched(t testing.TB) swarm.Options {
	t.Helper()
	r := router(t, routing.Config{
		Strategy: routing.Strategy{
			States: []routing.State{"waiting", "working"},
			Timers: []routing.Schedule{{Name: "patience", After: 30 * time.Second, In: []routing.State{"waiting"}}},
			Routes: []routing.Route{
				{Kind: signals.KindMemory, Action: routing.Transition("working")},
				{Kind: routing.KindTimer, Action: routing.Custom("ask"), When: routing.When(func(s *signals.Signal[routing.Timer]) bool {
					return s.Payload.Name == "patience"
				})},
			},
		},
		Timers: []routing.Schedule{{Name: "tick", After: 8 * time.Second, Every: 8 * time.Second, Jitter: 2 * time.Second}},
	})
	return swarm.Options{
		Seed: 5, Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0),
		Agents: []*agents.Agent{
			{ID: "a", Router: r, Actions: map[string]agents.Each{"ask": func(context.Context, signals.Any) seq {
				return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "nobody came"}))
			}}, Reactor: agents.Func(func(context.Context, *agents.Turn) seq { return agents.Emit() })},
			{ID: "b", Reactor: agents.Func(func(context.Context, *agents.Turn) seq { return agents.Emit() })},
		},
	}
}

// fired returns when which timers fired, since the task.
func fired(log []signals.Any) (all []string) {
	for _, s := range log {
		if timer, ok := signals.As[routing.Timer](s); ok {
			all = append(all, fmt.Sprintf("%s after %v", timer.Payload.Name, timer.Time.Sub(log[0].Head().Time)))
		}
	}
	return all
}

// A timer that escalates: the same with the same seed, wherever the solve is broken off.
func TestTimersFireByTheRunsClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		play := func(j *journal.Memory) *solves.Result {
			o := watched(t)
			o.Journal = j
			s := newSwarm(t, o)
			past, err := s.Results()
			var r *solves.Result
			switch {
			case err != nil:
			case len(past) == 0:
				r, err = s.Solve(t.Context(), signals.Task{Task: "x"})
			default:
				r, err = s.Resume(t.Context(), past[0].Log, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		whole := new(journal.Memory)
		r := play(whole)
		if got := fired(r.Log); r.Stop != runlog.StopEscalated || len(got) != 4 || !strings.HasPrefix(got[0], "tick after 8.") || got[3] != "patience after 30s" {
			t.Fatalf("%v: %v", r.Stop, got)
		}
		said, _ := parts(t, whole)
		for n := range whole.Last() + 1 {
			j := cut(t, whole, n)
			play(j)
			if now, _ := parts(t, j); cmp.Diff(said, now) != "" {
				t.Fatalf("cut after record %d:\n%.2000s", n, cmp.Diff(said, now))
			}
			if _, err := replayed(t, j); err != nil {
				t.Fatalf("cut after record %d: %v", n, err)
			}
		}
	})
}

// A solve waits for a timer only as long as it has time, and the timer of a state that was
// left does not fire.
func TestASolveDoesNotWaitForTimersInVain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := watched(t)
		o.Limits.Deadline = 20 * time.Second
		o.Agents[1].Reactor = agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round > 1 {
				return agents.Emit()
			}
			return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Memory{Content: "go on", Category: "news"}))
		})
		began := time.Now()
		r, err := newSwarm(t, o).Solve(t.Context(), signals.Task{Task: "x"})
		if got := fired(r.Log); err != nil || r.Stop != runlog.StopNoProgress || len(got) != 2 || time.Since(began) >= o.Limits.Deadline {
			t.Errorf("%v after %v, %v: %v", r.Stop, time.Since(began), err, got)
		}
	})
}
