package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// notes keeps what one agent's turns held, by thread.
type notes struct {
	mu    sync.Mutex // protects the fields below
	turns map[string][]agents.Turn
}

func (n *notes) agent(id string, say func(*agents.Turn) seq) *agents.Agent {
	n.turns = map[string][]agents.Turn{}
	return &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.turns[t.Thread] = append(n.turns[t.Thread], *t)
		return say(t)
	})}
}

// sources says who said what, but for the beginnings of rounds.
func sources(all []signals.Any) (names []string) {
	for _, s := range all {
		if s.Kind() == runlog.KindBegan {
			continue // each round begins so
		}
		names = append(names, fmt.Sprintf("%s %s", s.Head().Source, s.Kind()))
	}
	return names
}

func TestTurnHasNewHeardAndOwnSignals(t *testing.T) {
	var n notes
	listener := n.agent("listener", func(t *agents.Turn) seq {
		return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint(t.Round)}))
	})
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		listener, proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": no}),
	}})
	for range 2 { // the second solve remembers nothing of the first
		r := solve(t, s)
		turns := n.turns[r.Thread]
		if len(turns) != 3 {
			t.Fatalf("%d turns, want 3", len(turns))
		}
		for i, want := range [][3][]string{
			{{"system task:new"}, nil, nil},
			{{"p proposal"}, {"system task:new"}, {"listener discovery"}},
			{{"v vote", "w vote"}, {"system task:new", "p proposal"}, {"listener discovery", "listener discovery"}},
		} {
			got := [3][]string{sources(turns[i].New), sources(turns[i].Heard), sources(turns[i].Said)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("turn %d: %s", i, diff)
			}
			if turns[i].Task.Task != "which one?" || turns[i].Round != i+1 {
				t.Errorf("turn %d is of %q in round %d", i, turns[i].Task.Task, turns[i].Round)
			}
		}
	}
}

func TestTurnShowsProposalsAndVotesAsTheyStand(t *testing.T) {
	var n notes
	listener := n.agent("listener", func(*agents.Turn) seq { return agents.Emit() })
	listener.CanEmit = []signals.Kind{}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		listener, proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": no}),
	}}))
	var got []string
	for _, turn := range n.turns[r.Thread] {
		line := fmt.Sprintf("%d:", turn.Round)
		for _, p := range turn.Proposals {
			line += fmt.Sprintf(" %s by %v", p.ID(), p.Supporters())
			for _, v := range p.Votes {
				line += fmt.Sprintf(", %s %v", v.Source, v.Payload.Stance)
			}
		}
		got = append(got, line)
	}
	want := []string{"1:", "2: a by [p]", "3: a by [p], v agree, w disagree"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestACallThatIsNotRecordedEndsTheSolve(t *testing.T) {
	miss := fmt.Errorf("asking: %w", &journal.MissError{Key: journal.Key{Agent: "lost", Turn: 2}, Other: "another"})
	lost := &agents.Agent{ID: "lost", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
		if t.Round < 2 {
			return agents.Emit()
		}
		return func(yield func(signals.Any, error) bool) { yield(nil, miss) }
	})}
	r, err := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		proposer("p", "a", "do a"), lost, voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": yes}),
	}}).Solve(t.Context(), signals.Task{Task: "which one?"})
	if r.Stop != runlog.StopError || !errors.Is(r.Err, miss) || !errors.Is(err, miss) || r.Turns.Failed != 1 {
		t.Errorf("got %v: %v, %v", r.Stop, r.Err, err)
	}
}

func TestMemoryOfATurnIsBounded(t *testing.T) {
	var n notes
	listener := n.agent("listener", func(t *agents.Turn) seq {
		return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint(t.Round)}))
	})
	const most = 3
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{listener, talker("t")}, Limits: swarm.Limits{Rounds: 10, History: most}}))
	turns := n.turns[r.Thread]
	last := turns[len(turns)-1]
	if len(turns) != 10 || len(last.Heard) != most || len(last.Said) != most {
		t.Fatalf("%d turns, the last one remembers %d heard and %d said, want 10, %d and %d", len(turns), len(last.Heard), len(last.Said), most, most)
	}
	if said := last.Said[most-1].Body().(signals.Discovery).Finding; said != "9" {
		t.Errorf("the newest it said is of round %s, want 9", said)
	}
	if len(turns[2].Heard) != 2 || turns[2].Heard[0].Kind() != signals.KindTask {
		t.Error("what an earlier turn was given has changed")
	}
}

func TestEffortIsAskedForEachRoundByThread(t *testing.T) {
	var n notes
	threads := map[string]bool{}
	efforts := []signals.Effort{signals.Cheap, signals.Deep}
	s := newSwarm(t, swarm.Options{
		Agents: []*agents.Agent{n.agent("listener", func(*agents.Turn) seq { return agents.Emit() }), proposer("p", "a", "do a")},
		Effort: func(thread string) signals.Effort {
			threads[thread] = true
			e := efforts[0]
			efforts = efforts[1:]
			return e
		},
	})
	r := solve(t, s)
	var got []signals.Effort
	for _, turn := range n.turns[r.Thread] {
		got = append(got, turn.Effort)
	}
	if diff := cmp.Diff([]signals.Effort{signals.Cheap, signals.Deep}, got); diff != "" || !threads[r.Thread] || len(threads) != 1 {
		t.Error(diff, threads)
	}
}

// TestTurnThatEndsItsGoroutineHasFailedAtOnce has an agent that calls
// runtime.Goexit, as t.FailNow does, after a try that passes and without one.
func TestTurnThatEndsItsGoroutineHasFailedAtOnce(t *testing.T) {
	for _, tries := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			exits := &agents.Agent{ID: "exits", Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
				if turn.Try < tries {
					return agents.Fail(agents.Retryable(errors.New("busy"), time.Millisecond))
				}
				runtime.Goexit()
				return nil
			})}
			s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{exits}, Limits: swarm.Limits{Deadline: time.Hour}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			result, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
			if !errors.Is(err, agents.ErrNoReturn) {
				t.Fatal(err) // it is why nothing came of the solve
			}
			if len(result.Failed) != 1 || !errors.Is(result.Failed[0].Err, agents.ErrNoReturn) || result.Turns.Retried != tries || len(result.Late) > 0 {
				t.Errorf("got %+v, failed %v, late %v; want one failed, %d retried", result.Turns, result.Failed, result.Late, tries)
			}
			if result.Elapsed > time.Minute {
				t.Errorf("the solve took %v", result.Elapsed)
			}
		})
	}
}
