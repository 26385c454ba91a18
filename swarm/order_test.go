package swarm_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func TestTwoSolvesOnOneSwarmDoNotSeeEachOther(t *testing.T) {
	heard := map[string]map[string]bool{} // thread of the turn → tasks heard in it
	var mu sync.Mutex
	const n = 8
	var begun sync.WaitGroup // so that all tasks are in the log before anyone goes on
	begun.Add(n)
	listener := &agents.Agent{ID: "listener", Reactor: agents.On(func(ctx context.Context, s *signals.Signal[signals.Task]) seq {
		if agents.TurnOf(ctx).Round == 1 {
			begun.Done()
			begun.Wait()
		}
		mu.Lock()
		defer mu.Unlock()
		thread := agents.TurnOf(ctx).Thread
		if heard[thread] == nil {
			heard[thread] = map[string]bool{}
		}
		heard[thread][s.Payload.Task] = true
		return agents.Emit(propose("same-id", "answer to "+s.Payload.Task))
	})}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		listener, voter("v1", map[string]signals.Stance{"same-id": yes}), voter("v2", map[string]signals.Stance{"same-id": yes}),
	}})
	var solves sync.WaitGroup
	for i := range n {
		solves.Go(func() {
			task := fmt.Sprintf("task %d", i)
			r, err := s.Solve(t.Context(), signals.Task{Task: task})
			if err != nil || r.Stop != runlog.StopConsensus || r.Answer != "answer to "+task {
				t.Errorf("%s: got %v %q, %v", task, r.Stop, r.Answer, err)
				return
			}
			checkResult(t, r)
		})
	}
	solves.Wait()
	for thread, tasks := range heard {
		if len(tasks) != 1 {
			t.Errorf("thread %s heard %v", thread, tasks)
		}
	}
	if len(heard) != n {
		t.Errorf("got %d threads, want %d", len(heard), n)
	}
}

func TestCommitOrderIsTheOrderOfTheAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		team := []*agents.Agent{
			sleeper("slow", 3*time.Second, true), sleeper("slower", 5*time.Second, true), sleeper("quick", time.Second, true),
		}
		r := solve(t, newSwarm(t, swarm.Options{Agents: team, Limits: swarm.Limits{Rounds: 1}}))
		var order []string
		for _, s := range r.Log[2:] {
			order = append(order, s.Head().Source)
		}
		if diff := cmp.Diff([]string{"slow", "slower", "quick"}, order); diff != "" {
			t.Error(diff)
		}
	})
}

// wild says random things, from its turn's numbers and ids, after a random
// wall-clock delay that nothing may depend on.
func wild(id string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Each(func(ctx context.Context, s signals.Any) seq {
		for range rand.IntN(3) {
			runtime.Gosched()
		}
		turn := agents.TurnOf(ctx)
		switch turn.Rand().IntN(3) {
		case 0:
			p := fmt.Sprintf("%s-%d", id, turn.Round)
			return agents.Emit(propose(p, p), vote(p, yes, turn.Rand().Float64()))
		case 1:
			return agents.Emit(signals.New(signals.Header{ID: turn.NewID()}, signals.Discovery{Finding: s.Head().ID.String()}))
		default:
			return agents.Emit()
		}
	})}
}

func TestSameSeedWritesTheSameLogByteForByte(t *testing.T) {
	write := func(seed uint64) string {
		s := newSwarm(t, swarm.Options{
			Agents: []*agents.Agent{wild("a"), wild("b"), wild("c"), wild("d")}, Limits: swarm.Limits{Rounds: 4}, Seed: seed,
			Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Millisecond),
		})
		var log bytes.Buffer
		show := transcript.JSON(&log)
		for e, err := range s.Stream(t.Context(), signals.Task{Task: "x"}) {
			if err == nil {
				err = show(e)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return log.String()
	}
	first := write(7)
	for range 20 {
		if again := write(7); again != first {
			t.Fatalf("two runs differ:\n%s", cmp.Diff(strings.Split(first, "\n"), strings.Split(again, "\n")))
		}
	}
	if write(8) == first {
		t.Error("another seed writes the same log")
	}
}

// A decision that cannot change any more is taken without waiting for the rest
// of the round; one that can is not.
func TestDecisionWaitsForVotesThatCouldChangeItAndNoOthers(t *testing.T) {
	for _, c := range []struct {
		name   string
		quick  int // agents that agree at once
		slow   int // agents that take an hour to disagree
		want   time.Duration
		stop   runlog.StopReason
		voters int
	}{
		{"9 of 10 are for it", 9, 1, 0, runlog.StopConsensus, 7}, // 7 of 10 are enough
		{"2 of 3 are for it", 2, 1, time.Hour, runlog.StopDeadlock, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				team := []*agents.Agent{proposer("p", "a", "do a")}
				for i := range c.quick {
					team = append(team, voter(fmt.Sprintf("quick-%d", i), map[string]signals.Stance{"a": yes}))
				}
				for i := range c.slow {
					v := voter(fmt.Sprintf("slow-%d", i), map[string]signals.Stance{"a": no})
					team = append(team, hourLater(v))
				}
				begin := time.Now()
				r := solve(t, newSwarm(t, swarm.Options{Agents: team, Quorum: 2, Limits: swarm.Limits{Deadline: 5 * time.Hour}}))
				if took := time.Since(begin); r.Stop != c.stop || took != c.want || r.Decision.Voters != c.voters {
					t.Errorf("got %v after %v with %d voters, want %v after %v with %d", r.Stop, took, r.Decision.Voters, c.stop, c.want, c.voters)
				}
			})
		})
	}
}

func TestOrderOfAgentsDoesNotDecide(t *testing.T) {
	team := []*agents.Agent{
		proposer("p", "a", "do a"),
		voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
		voter("v3", map[string]signals.Stance{"a": no}), voter("v4", map[string]signals.Stance{"a": no}),
		voter("v5", map[string]signals.Stance{"a": pass}),
	}
	for range 20 {
		rand.Shuffle(len(team), func(i, j int) { team[i], team[j] = team[j], team[i] })
		if r := solve(t, newSwarm(t, swarm.Options{Agents: team})); r.Stop != runlog.StopDeadlock {
			t.Errorf("got %v with %v first, want deadlock", r.Stop, team[0].ID)
		}
	}
}

func TestRecipientsAloneHear(t *testing.T) {
	heard := map[string]int{}
	var mu sync.Mutex
	counts := func(id string) *agents.Agent {
		return &agents.Agent{ID: id, Listens: []signals.Kind{signals.KindDiscovery}, Reactor: agents.Each(func(context.Context, signals.Any) seq {
			mu.Lock()
			defer mu.Unlock()
			heard[id]++
			return agents.Emit()
		})}
	}
	whisper := &agents.Agent{ID: "whisper", Listens: []signals.Kind{signals.KindTask}, Reactor: agents.Each(func(context.Context, signals.Any) seq {
		return agents.Emit(signals.New(signals.Header{Recipients: signals.To("a")}, signals.Discovery{Finding: "x"}))
	})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{whisper, counts("a"), counts("b")}}))
	if diff := cmp.Diff(map[string]int{"a": 1}, heard); diff != "" {
		t.Error(diff)
	}
	if len(sources(r.Log)) != 2 {
		t.Errorf("the log has %d signals, want the whisper too", len(r.Log))
	}
}

// A rejection waits for those who may still have a better proposal.
func TestRejectionWaitsForProposalsToCome(t *testing.T) {
	second := &agents.Agent{
		ID: "second", Listens: []signals.Kind{signals.KindProposal}, CanEmit: []signals.Kind{signals.KindProposal},
		Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) seq {
			return agents.Emit(propose("b", "better than "+p.Payload.ProposalID))
		}),
	}
	stances := map[string]signals.Stance{"a": no, "b": yes}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		proposer("p", "a", "do a"), voter("v1", stances), voter("v2", stances), second,
	}}))
	if r.Stop != runlog.StopConsensus || r.Answer != "better than a" {
		t.Errorf("got %v %q, want consensus on the second proposal", r.Stop, r.Answer)
	}
}

// hourLater makes an agent answer after an hour, or when its turn is cancelled.
func hourLater(a *agents.Agent) *agents.Agent {
	inner := a.Reactor
	a.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done():
		}
		return inner.React(ctx, turn)
	})
	return a
}
