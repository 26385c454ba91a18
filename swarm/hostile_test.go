package swarm_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// inRound returns an agent that says that in that round, and nothing in the others.
func inRound(round int, id string, said ...signals.Any) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
		if turn.Round != round {
			return agents.Emit()
		}
		return agents.Emit(said...)
	})}
}

// onTask makes an agent hear only the task.
func onTask(a *agents.Agent) *agents.Agent {
	a.Listens = []signals.Kind{signals.KindTask}
	return a
}

func TestAProposalOfASolveDoesNotExpire(t *testing.T) {
	t.Parallel()
	short := signals.New(signals.Header{Confidence: 1, TTL: time.Hour}, signals.Proposal{ProposalID: "a", Content: "do a"})
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{inRound(1, "p", short), inRound(1, "q")}})
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range r.Log {
		if h := said.Head(); h.TTL >= 0 && h.Source == "p" {
			t.Errorf("%s expires after %v", said.Kind(), h.TTL)
		}
	}
}

func TestADetailedAlarmAsksAPerson(t *testing.T) {
	t.Parallel()
	alarm := coordination.Draft(coordination.Note{
		Class: coordination.EscalationInterrupt, Priority: coordination.Critical, Summary: "stop", Details: strings.Repeat("d", 64<<10),
	})
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{inRound(1, "p", alarm), inRound(1, "q")}})
	if r, err := s.Solve(t.Context(), signals.Task{Task: "x"}); err != nil || r.Stop != runlog.StopEscalated {
		t.Errorf("%v %.80q, %v", r.Stop, r.Detail, err)
	}
}

func TestRoundsAreThoseThatTheSwarmBegan(t *testing.T) {
	t.Parallel()
	o := swarm.Options{Agents: torn(), Conflicts: settle.ByEscalation, Limits: swarm.Limits{Rounds: 6}}
	var s *swarm.Swarm
	o.Effort = func(thread string) signals.Effort {
		out, err := s.Bus().Agent("out", bus.Permissions{})
		if err == nil {
			_, err = out.Publish(t.Context(), signals.New(signals.Header{Thread: thread, Round: 1<<31 - 1}, signals.Discovery{Finding: "x"}))
		}
		if err != nil {
			t.Error(err)
		}
		return 0
	}
	s = newSwarm(t, o)
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if err != nil || r.Stop != runlog.StopEscalated || r.Rounds > 6 {
		t.Fatalf("%v in %d rounds, %v", r.Stop, r.Rounds, err)
	}
	if r, err = s.Resume(t.Context(), r.Log, answer("think again")); err != nil || r.Rounds > 6 {
		t.Errorf("resumed: %v in %d rounds, %v", r.Stop, r.Rounds, err)
	}
}

func TestTimersCountAgainstTheLimitOfSignals(t *testing.T) {
	t.Parallel()
	a := onTask(inRound(1, "a", propose("a", "do a")))
	a.Router = router(t, routing.Config{Timers: []routing.Schedule{{Name: "flood", After: 1, Every: 1}}})
	s := newSwarm(t, swarm.Options{
		Agents: []*agents.Agent{a, onTask(inRound(1, "b"))}, Limits: swarm.Limits{Signals: 20, Deadline: 10 * time.Second},
	})
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if err != nil || r.Stop != runlog.StopBudget || !strings.HasPrefix(r.Detail, "the limit of 20 signals") || len(fired(r.Log)) != 19 {
		t.Errorf("%v %q with %d timers, %v", r.Stop, r.Detail, len(fired(r.Log)), err)
	}
}

// Teams whose logs say the same wherever they were broken off.
func TestWhereverItWasBrokenOffALogSaysTheSame(t *testing.T) {
	t.Parallel()
	brief := coordination.Draft(coordination.Note{Class: coordination.AttentionRaise, Audience: coordination.All, Summary: "x", ExpiresAfter: 1})
	for name, o := range map[string]swarm.Options{
		"mail that expires in the step that it caused": {Quorum: 2, Agents: []*agents.Agent{
			onTask(inRound(1, "p", propose("a", "do a"), vote("a", yes, 1), brief)), onTask(inRound(2, "b", vote("a", yes, 1))),
		}},
		"a conflict with what has just lost": {Conflicts: settle.ByMajority, Agents: []*agents.Agent{
			inRound(1, "p", propose("a", "do a")), inRound(1, "q", propose("b", "do b")),
			inRound(2, "v", vote("b", yes, 1)), inRound(2, "w", vote("b", yes, 1)), inRound(2, "r", vote("b", yes, 1), propose("c", "do a")),
		}},
		"proposals that one side contains": {
			Agents: []*agents.Agent{inRound(1, "p", propose("a", "do it"), propose("b", "do it now")), inRound(1, "v", vote("a", yes, 1)), inRound(1, "w", vote("b", yes, 1))},
			Same: func(_ context.Context, earlier, later signals.Proposal) bool {
				return strings.HasPrefix(later.Content, earlier.Content) || strings.HasPrefix(earlier.Content, later.Content)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := new(journal.Memory)
			goOn(t, o, whole)
			want, _ := parts(t, whole)
			for n := uint64(1); n < whole.Last(); n++ {
				j := cut(t, whole, n)
				goOn(t, o, j)
				if got, _ := parts(t, j); !slices.Equal(got, want) {
					t.Errorf("broken off after %d:\n%s", n, difference(got, want))
				}
			}
		})
	}
}

// goOn solves a task, or resumes the solve that is in the journal.
func goOn(t *testing.T, o swarm.Options, j journal.Store) {
	t.Helper()
	o.Journal = j
	s := startOn(t, o)
	defer shutdown(t, s)
	past, err := s.Results()
	switch {
	case err != nil:
	case len(past) == 0:
		_, err = s.Solve(t.Context(), signals.Task{Task: "x"})
	default:
		_, err = s.Resume(t.Context(), past[0].Log, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// difference returns the first record that differs.
func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return got[i] + "\nwant\n" + want[i]
		}
	}
	return "too long or too short"
}
