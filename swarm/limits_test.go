package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// talker answers everything it hears with one discovery.
func talker(id string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Each(func(_ context.Context, s signals.Any) seq {
		return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: "re: " + s.Head().ID.String()}))
	})}
}

func TestFiveAgentsThatAnswerEverythingEndAtTheSignalLimit(t *testing.T) {
	var team []*agents.Agent
	for i := range 5 {
		team = append(team, talker(fmt.Sprintf("agent-%d", i)))
	}
	const limit = 130 // in the middle of a turn
	r := solve(t, newSwarm(t, swarm.Options{Agents: team, Limits: swarm.Limits{Signals: limit}}))
	said := 0
	for _, s := range r.Log {
		if s.Head().Source != bus.System {
			said++
		}
	}
	if r.Stop != runlog.StopBudget || said != limit {
		t.Errorf("got %v after %d signals, want budget after %d", r.Stop, said, limit)
	}
}

func TestDecisionWithTheLastSignalIsADecision(t *testing.T) {
	r := solve(t, newSwarm(t, swarm.Options{Limits: swarm.Limits{Signals: 3}, Agents: []*agents.Agent{
		proposer("p", "a", "do a"), voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
	}}))
	if r.Stop != runlog.StopConsensus {
		t.Errorf("got %v, want consensus", r.Stop)
	}
}

func TestRoundsAreBounded(t *testing.T) {
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{talker("a"), talker("b")}, Limits: swarm.Limits{Rounds: 3, TurnSignals: 1}}))
	if r.Stop != runlog.StopMaxRounds || r.Rounds != 3 {
		t.Errorf("got %v after %d rounds, want max-rounds after 3", r.Stop, r.Rounds)
	}
}

func TestTurnSaysNoMoreThanItMay(t *testing.T) {
	chatty := &agents.Agent{ID: "chatty", Reactor: agents.Each(func(context.Context, signals.Any) seq {
		return func(yield func(signals.Any, error) bool) {
			for yield(signals.New(signals.Header{}, signals.Discovery{Finding: "x"}), nil) {
			}
		}
	})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{chatty}, Limits: swarm.Limits{TurnSignals: 4}}))
	if len(r.Log) != 7 || r.Turns.Failed != 1 {
		t.Errorf("got %d signals and %+v, want the task, the round, 4 of a failed turn and that it failed", len(r.Log), r.Turns)
	}
}

// sleeper takes its time over everything, and listens to its context or not.
func sleeper(id string, d time.Duration, obedient bool) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Each(func(ctx context.Context, _ signals.Any) seq {
		if !obedient {
			ctx = context.Background()
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: "slept"}))
	})}
}

func TestDeadlineInterruptsATurnAtOnce(t *testing.T) {
	for _, obedient := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newSwarm(t, swarm.Options{
				Agents: []*agents.Agent{talker("quick"), sleeper("slow", 400*time.Millisecond, obedient)},
				Limits: swarm.Limits{Deadline: 50 * time.Millisecond},
			})
			begin := time.Now()
			r := solve(t, s)
			// Turns end a twentieth before the deadline, so that what they have can be
			// committed; who does not listen is left behind at the deadline.
			want, turns, left := 50*time.Millisecond, solves.Turns{Taken: 2, Committed: 1, Dropped: 1, Late: 1}, []string{"slow"}
			if obedient {
				want, turns, left = 47500*time.Microsecond, solves.Turns{Taken: 2, Committed: 1, Failed: 1, Late: 1}, nil
			}
			if took := time.Since(begin); r.Stop != runlog.StopDeadline || took != want {
				t.Errorf("obedient %v: got %v after %v, want deadline after %v", obedient, r.Stop, took, want)
			}
			if diff := cmp.Diff(turns, r.Turns) + cmp.Diff(left, r.LeftBehind); diff != "" {
				t.Errorf("obedient %v: %s", obedient, diff)
			}
			log := []string{"system task:new", "quick discovery", "system turn:late"}
			if obedient {
				log = append(log, "system turn:failed")
			}
			if diff := cmp.Diff(log, sources(r.Log)); diff != "" {
				t.Errorf("obedient %v: %s", obedient, diff)
			}
		})
	}
}

func TestShutdownWaitsForTurnsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := swarm.New(swarm.Options{
			Agents: []*agents.Agent{sleeper("slow", 400*time.Millisecond, false)},
			Limits: swarm.Limits{Deadline: 50 * time.Millisecond},
		})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		solve(t, s)
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 400*time.Millisecond {
			t.Errorf("shut down after %v, want 400ms, when the turn ended", took)
		}
		if _, err := s.Solve(t.Context(), signals.Task{Task: "x"}); !errors.Is(err, swarm.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	})
}

func TestCancellingTheContextCancelsTheSolve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{sleeper("slow", time.Hour, true)}})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("changed my mind")
		time.AfterFunc(time.Second, func() { cancel(why) })
		r, err := s.Solve(ctx, signals.Task{Task: "x"})
		if err != nil || r.Stop != runlog.StopCancelled || !errors.Is(r.Err, why) {
			t.Errorf("got %v, %v, %v, want cancelled because %v", r.Stop, r.Err, err, why)
		}
	})
}

func TestClosingTheSwarmCancelsSolves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{sleeper("slow", time.Hour, true)}})
		time.AfterFunc(time.Second, s.Close)
		r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
		if err != nil || r.Stop != runlog.StopCancelled || !errors.Is(r.Err, swarm.ErrClosed) {
			t.Errorf("got %v, %v, %v, want cancelled by the swarm's end", r.Stop, r.Err, err)
		}
	})
}

func TestLeavingTheStreamEndsTheSolve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{sleeper("slow", time.Hour, true)}})
		begin := time.Now()
		for e, err := range s.Stream(t.Context(), signals.Task{Task: "x"}) {
			if _, ok := e.(solves.RoundStarted); ok || err != nil {
				break
			}
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("the loop ended after %v", took)
		}
	})
}

// A bus holds a bounded number of live proposals, and any number of solves, one after the
// other, must not reach that bound.
func TestSolvesThatEndedLeaveNoProposalsBehind(t *testing.T) {
	b := made(bus.New(&bus.Options{Conflicts: &conflict.Options{MaxLive: 4}}))
	defer b.Close()
	s := newSwarm(t, swarm.Options{Bus: b, Agents: []*agents.Agent{
		proposer("p", "a", "1"), voter("v", map[string]signals.Stance{"a": signals.Agree}), voter("w", map[string]signals.Stance{"a": signals.Agree}),
	}})
	for range 10 {
		if r := solve(t, s); r.Stop != runlog.StopConsensus {
			t.Fatalf("stopped: %v, %s", r.Stop, r.Detail)
		}
	}
	if left := b.Stats().Conflicts.Live; left != 0 {
		t.Errorf("%d proposals are still live", left)
	}
}
