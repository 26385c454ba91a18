package swarm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type seq = iter.Seq2[signals.Any, error]

// proposer answers the task with one proposal.
func proposer(id, proposal, content string) *agents.Agent {
	return &agents.Agent{
		ID: id, Listens: []signals.Kind{signals.KindTask}, CanEmit: []signals.Kind{signals.KindProposal},
		Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) seq {
			return agents.Say(propose(proposal, content))
		}),
	}
}

// voter votes on every proposal as the stance for its id says.
func voter(id string, stances map[string]signals.Stance) *agents.Agent {
	return &agents.Agent{
		ID: id, Listens: []signals.Kind{signals.KindProposal}, CanEmit: []signals.Kind{signals.KindVote},
		Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) seq {
			stance, ok := stances[p.Payload.ProposalID]
			if !ok {
				return agents.Say()
			}
			return agents.Say(vote(p.Payload.ProposalID, stance, 1))
		}),
	}
}

func propose(id, content string) signals.Any {
	return signals.New(signals.Header{Confidence: 0.8}, signals.Proposal{ProposalID: id, Content: content})
}

func vote(id string, s signals.Stance, weight float64) signals.Any {
	return signals.New(signals.Header{Confidence: weight}, signals.Vote{ProposalID: id, Stance: s, Weight: weight, Reasoning: "because"})
}

func newSwarm(t *testing.T, o swarm.Options) *swarm.Swarm {
	t.Helper()
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func solve(t *testing.T, s *swarm.Swarm) *swarm.Result {
	t.Helper()
	r, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

// checkResult holds what is true of every result.
func checkResult(t *testing.T, r *swarm.Result) {
	t.Helper()
	if !r.Books.Balanced() || r.Books.Pending != 0 {
		t.Errorf("books do not balance: %+v", r.Books)
	}
	if n := r.Turns.Committed + r.Turns.Failed + r.Turns.Dropped; n != r.Turns.Taken {
		t.Errorf("turns do not add up: %+v", r.Turns)
	}
	for i, s := range r.Log {
		if h := s.Head(); h.Thread != r.Thread || i > 0 && h.Seq <= r.Log[i-1].Head().Seq {
			t.Errorf("log entry %d is out of order or of another thread: %+v", i, h)
		}
	}
}

const yes, no, pass = signals.Agree, signals.Disagree, signals.Abstain

func TestMajorityForOneProposalIsConsensus(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		proposer("p", "a", "do a"),
		voter("v1", map[string]signals.Stance{"a": yes}),
		voter("v2", map[string]signals.Stance{"a": yes}),
		voter("v3", map[string]signals.Stance{"a": yes}),
	}})
	r := solve(t, s)
	if r.Stop != swarm.StopConsensus || r.Answer != "do a" || r.Decision.Choice != "a" {
		t.Errorf("got %v %q %q, want consensus on a", r.Stop, r.Answer, r.Decision.Choice)
	}
	last, ok := signals.As[signals.Consensus](r.Log[len(r.Log)-1])
	if !ok || last.Payload.ProposalID != "a" || last.ReplyTo != r.Proposals[0].ID {
		t.Errorf("the log ends with %+v, want consensus on a", r.Log[len(r.Log)-1])
	}
}

func TestEveryoneRejectingTheOnlyProposalIsRejected(t *testing.T) {
	for _, strategy := range []consensus.Strategy{consensus.Voting{}, consensus.ConfidenceWeighted{}} {
		s := newSwarm(t, swarm.Options{Strategy: strategy, Agents: []*agents.Agent{
			proposer("p", "a", "do a"),
			voter("v1", map[string]signals.Stance{"a": no}),
			voter("v2", map[string]signals.Stance{"a": no}),
			voter("v3", map[string]signals.Stance{"a": no}),
		}})
		r := solve(t, s)
		if r.Stop != swarm.StopRejected || r.Decision.Outcome != consensus.Rejected || r.Answer != "" {
			t.Errorf("%s: got %v %v %q, want rejected", strategy.Name(), r.Stop, r.Decision.Outcome, r.Answer)
		}
	}
}

func TestSplitVotesAreDeadlock(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		proposer("p", "a", "do a"), proposer("q", "b", "do b"),
		voter("v1", map[string]signals.Stance{"a": yes}),
		voter("v2", map[string]signals.Stance{"b": yes}),
	}})
	r := solve(t, s)
	if r.Stop != swarm.StopDeadlock || len(r.Conflicts) != 1 {
		t.Errorf("got %v with %d conflicts, want deadlock with 1", r.Stop, len(r.Conflicts))
	}
}

func TestNobodySpeakingIsNoProgress(t *testing.T) {
	silent := &agents.Agent{ID: "silent", Reactor: agents.Func(func(context.Context, signals.Any) seq { return agents.Say() })}
	if r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{silent}})); r.Stop != swarm.StopNoProgress {
		t.Errorf("got %v, want no progress", r.Stop)
	}
}

// talker answers everything it hears with one discovery.
func talker(id string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, s signals.Any) seq {
		return agents.Say(signals.New(signals.Header{}, signals.Discovery{Finding: "re: " + s.Head().ID.String()}))
	})}
}

func TestFiveAgentsThatAnswerEverythingEndAtTheSignalLimit(t *testing.T) {
	var team []*agents.Agent
	for i := range 5 {
		team = append(team, talker(fmt.Sprintf("agent-%d", i)))
	}
	const limit = 130 // in the middle of a turn
	r := solve(t, newSwarm(t, swarm.Options{Agents: team, Signals: limit}))
	said := 0
	for _, s := range r.Log {
		if s.Head().Source != bus.System {
			said++
		}
	}
	if r.Stop != swarm.StopBudget || said != limit {
		t.Errorf("got %v after %d signals, want budget after %d", r.Stop, said, limit)
	}
}

func TestDecisionWithTheLastSignalIsADecision(t *testing.T) {
	r := solve(t, newSwarm(t, swarm.Options{Signals: 3, Agents: []*agents.Agent{
		proposer("p", "a", "do a"), voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
	}}))
	if r.Stop != swarm.StopConsensus {
		t.Errorf("got %v, want consensus", r.Stop)
	}
}

func TestAgentsWeightIsAFactorOnItsVotes(t *testing.T) {
	for weight, want := range map[float64]swarm.StopReason{0: swarm.StopDeadlock, 0.2: swarm.StopConsensus} {
		light := voter("light", map[string]signals.Stance{"a": no})
		light.Weight = weight
		r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
			proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), light,
		}}))
		if r.Stop != want {
			t.Errorf("weight %v: got %v, want %v", weight, r.Stop, want)
		}
	}
}

func TestRoundsAreBounded(t *testing.T) {
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{talker("a"), talker("b")}, Rounds: 3, TurnSignals: 1}))
	if r.Stop != swarm.StopMaxRounds || r.Rounds != 3 {
		t.Errorf("got %v after %d rounds, want max-rounds after 3", r.Stop, r.Rounds)
	}
}

func TestTurnSaysNoMoreThanItMay(t *testing.T) {
	chatty := &agents.Agent{ID: "chatty", Reactor: agents.Func(func(context.Context, signals.Any) seq {
		return func(yield func(signals.Any, error) bool) {
			for yield(signals.New(signals.Header{}, signals.Discovery{Finding: "x"}), nil) {
			}
		}
	})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{chatty}, TurnSignals: 4}))
	if len(r.Log) != 5 || r.Turns.Failed != 1 {
		t.Errorf("got %d signals and %+v, want the task and 4 of a failed turn", len(r.Log), r.Turns)
	}
}

// sleeper takes its time over everything, and listens to its context or not.
func sleeper(id string, d time.Duration, obedient bool) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, _ signals.Any) seq {
		if !obedient {
			ctx = context.Background()
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return agents.Say(signals.New(signals.Header{}, signals.Discovery{Finding: "slept"}))
	})}
}

func TestDeadlineInterruptsATurnAtOnce(t *testing.T) {
	for _, obedient := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newSwarm(t, swarm.Options{
				Agents:   []*agents.Agent{talker("quick"), sleeper("slow", 400*time.Millisecond, obedient)},
				Deadline: 50 * time.Millisecond,
			})
			begin := time.Now()
			r := solve(t, s)
			if took := time.Since(begin); r.Stop != swarm.StopDeadline || took != 50*time.Millisecond {
				t.Errorf("obedient %v: got %v after %v, want deadline after 50ms", obedient, r.Stop, took)
			}
			if len(r.Log) != 2 || r.Turns.Dropped != 1 {
				t.Errorf("obedient %v: got %d signals, %+v, want the task, what quick said, and a dropped turn", obedient, len(r.Log), r.Turns)
			}
		})
	}
}

func TestShutdownWaitsForTurnsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := swarm.New(swarm.Options{
			Agents:   []*agents.Agent{sleeper("slow", 400*time.Millisecond, false)},
			Deadline: 50 * time.Millisecond,
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
		if err != nil || r.Stop != swarm.StopCancelled || !errors.Is(r.Err, why) {
			t.Errorf("got %v, %v, %v, want cancelled because %v", r.Stop, r.Err, err, why)
		}
	})
}

func TestClosingTheSwarmCancelsSolves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{sleeper("slow", time.Hour, true)}})
		time.AfterFunc(time.Second, s.Close)
		r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
		if err != nil || r.Stop != swarm.StopCancelled || !errors.Is(r.Err, swarm.ErrClosed) {
			t.Errorf("got %v, %v, %v, want cancelled by the swarm's end", r.Stop, r.Err, err)
		}
	})
}

func TestLeavingTheStreamEndsTheSolve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{sleeper("slow", time.Hour, true)}})
		begin := time.Now()
		for e, err := range s.Stream(t.Context(), signals.Task{Task: "x"}) {
			if _, ok := e.(swarm.RoundStarted); ok || err != nil {
				break
			}
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("the loop ended after %v", took)
		}
	})
}

func TestTwoSolvesOnOneSwarmDoNotSeeEachOther(t *testing.T) {
	heard := map[string]map[string]bool{} // thread of the turn → tasks heard in it
	var mu sync.Mutex
	const n = 8
	var begun sync.WaitGroup // so that all tasks are in the log before anyone goes on
	begun.Add(n)
	listener := &agents.Agent{ID: "listener", Reactor: agents.On(func(ctx context.Context, s *signals.Signal[signals.Task]) seq {
		if agents.TurnOf(ctx).Round == 1 && agents.TurnOf(ctx).Left == 0 {
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
		return agents.Say(propose("same-id", "answer to "+s.Payload.Task))
	})}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		listener, voter("v1", map[string]signals.Stance{"same-id": yes}), voter("v2", map[string]signals.Stance{"same-id": yes}),
	}})
	var solves sync.WaitGroup
	for i := range n {
		solves.Go(func() {
			task := fmt.Sprintf("task %d", i)
			r, err := s.Solve(t.Context(), signals.Task{Task: task})
			if err != nil || r.Stop != swarm.StopConsensus || r.Answer != "answer to "+task {
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
		r := solve(t, newSwarm(t, swarm.Options{Agents: team, Rounds: 1}))
		var order []string
		for _, s := range r.Log[1:] {
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
	return &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, s signals.Any) seq {
		for range rand.IntN(3) {
			runtime.Gosched()
		}
		turn := agents.TurnOf(ctx)
		switch turn.Rand().IntN(3) {
		case 0:
			p := fmt.Sprintf("%s-%d", id, turn.Round)
			return agents.Say(propose(p, p), vote(p, yes, turn.Rand().Float64()))
		case 1:
			return agents.Say(signals.New(signals.Header{ID: turn.NewID()}, signals.Discovery{Finding: s.Head().ID.String()}))
		default:
			return agents.Say()
		}
	})}
}

func TestSameSeedWritesTheSameLogByteForByte(t *testing.T) {
	write := func(seed uint64) string {
		s := newSwarm(t, swarm.Options{
			Agents: []*agents.Agent{wild("a"), wild("b"), wild("c"), wild("d")}, Rounds: 4, Seed: seed,
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

func TestOneBadSignalIsRefusedAndTheRestIsKept(t *testing.T) {
	bad := &agents.Agent{
		ID: "bad", Listens: []signals.Kind{signals.KindTask},
		CanEmit: []signals.Kind{signals.KindDiscovery, signals.KindVote},
		Reactor: agents.Func(func(context.Context, signals.Any) seq {
			return agents.Say(
				vote("a", yes, 9),
				propose("a", "not allowed"),
				signals.New(signals.Header{Source: "somebody else"}, signals.Discovery{Finding: "x"}),
				signals.New(signals.Header{Thread: "elsewhere"}, signals.Discovery{Finding: "x"}),
				signals.New(signals.Header{}, signals.Discovery{Finding: "kept"}),
				nil,
			)
		}),
	}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{bad}})
	var refused []error
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "x"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case swarm.Refused:
			refused = append(refused, e.Err)
		case swarm.Stopped:
			if len(e.Result.Log) != 2 || e.Result.Turns.Refused != 4 {
				t.Errorf("got %d signals and %+v, want the task, one discovery and 4 refused", len(e.Result.Log), e.Result.Turns)
			}
		}
	}
	var field *signals.FieldError
	var permission *bus.PermissionError
	if len(refused) != 4 || !errors.As(refused[0], &field) || !errors.As(refused[1], &permission) ||
		!errors.As(refused[2], &permission) || !errors.As(refused[3], &permission) {
		t.Errorf("got %v, want a field error and three permission errors", refused)
	}
}

func TestPanickingAgentHarmsNobodyElse(t *testing.T) {
	panics := &agents.Agent{ID: "panics", Reactor: agents.Func(func(context.Context, signals.Any) seq { panic("boom") })}
	fails := &agents.Agent{ID: "fails", Reactor: agents.Func(func(context.Context, signals.Any) seq { return agents.Fail(errors.New("no")) })}
	r := solve(t, newSwarm(t, swarm.Options{Quorum: 1, Agents: []*agents.Agent{
		panics, proposer("p", "a", "do a"), fails, voter("v", map[string]signals.Stance{"a": yes}),
	}}))
	if r.Stop != swarm.StopConsensus || r.Turns.Failed < 2 {
		t.Errorf("got %v with %+v, want consensus beside failed turns", r.Stop, r.Turns)
	}
}

func TestAllAgentsFailingIsAnError(t *testing.T) {
	why := errors.New("no model")
	fails := &agents.Agent{ID: "fails", Reactor: agents.Func(func(context.Context, signals.Any) seq { return agents.Fail(why) })}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{fails}})
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if !errors.Is(err, why) || r.Stop != swarm.StopError {
		t.Errorf("got %v, %v, want an error because %v", r.Stop, err, why)
	}
}

func TestEscalationStopsTheSolve(t *testing.T) {
	worried := &agents.Agent{ID: "worried", Reactor: agents.Func(func(context.Context, signals.Any) seq {
		return agents.Say(signals.New(signals.Header{}, signals.Escalation{Reason: "needs a person"}))
	})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{worried, talker("t")}}))
	if r.Stop != swarm.StopEscalated || r.Detail != "needs a person" {
		t.Errorf("got %v %q, want escalated", r.Stop, r.Detail)
	}
}

func TestConflictPolicyEscalates(t *testing.T) {
	team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"a": yes})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: team, Conflicts: swarm.EscalateConflicts, Quorum: 1}))
	if r.Stop != swarm.StopEscalated || len(r.Conflicts) != 1 {
		t.Errorf("got %v with %d conflicts, want escalated with 1", r.Stop, len(r.Conflicts))
	}
}

func TestOutsidersVotesDoNotCount(t *testing.T) {
	b := bus.New(nil)
	defer b.Close()
	mallory, err := b.Agent("mallory", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	intruder := proposer("p", "a", "do a")
	inner := intruder.Reactor
	intruder.Reactor = agents.Func(func(ctx context.Context, s signals.Any) seq {
		for range 5 {
			v := signals.With(vote("a", yes, 1), signals.Header{Thread: s.Head().Thread})
			if _, err := mallory.Publish(ctx, v); err != nil {
				t.Error(err)
			}
		}
		return inner.React(ctx, s)
	})
	r := solve(t, newSwarm(t, swarm.Options{Bus: b, Quorum: 1, Agents: []*agents.Agent{intruder, voter("v", map[string]signals.Stance{"a": no})}}))
	if r.Stop != swarm.StopRejected {
		t.Errorf("got %v, want rejected by the only agent that may vote", r.Stop)
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
		stop   swarm.StopReason
		voters int
	}{
		{"9 of 10 are for it", 9, 1, 0, swarm.StopConsensus, 7}, // 7 of 10 are enough
		{"2 of 3 are for it", 2, 1, time.Hour, swarm.StopDeadlock, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				team := []*agents.Agent{proposer("p", "a", "do a")}
				for i := range c.quick {
					team = append(team, voter(fmt.Sprintf("quick-%d", i), map[string]signals.Stance{"a": yes}))
				}
				for i := range c.slow {
					v := voter(fmt.Sprintf("slow-%d", i), map[string]signals.Stance{"a": no})
					inner := v.Reactor
					v.Reactor = agents.Func(func(ctx context.Context, s signals.Any) seq {
						select {
						case <-time.After(time.Hour):
						case <-ctx.Done():
						}
						return inner.React(ctx, s)
					})
					team = append(team, v)
				}
				begin := time.Now()
				r := solve(t, newSwarm(t, swarm.Options{Agents: team, Quorum: 2, Deadline: 2 * time.Hour}))
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
		if r := solve(t, newSwarm(t, swarm.Options{Agents: team})); r.Stop != swarm.StopDeadlock {
			t.Errorf("got %v with %v first, want deadlock", r.Stop, team[0].ID)
		}
	}
}

func TestBadOptionsAreAllNamed(t *testing.T) {
	_, err := swarm.New(swarm.Options{
		Agents:    []*agents.Agent{nil, {ID: ""}, talker("a"), talker("a"), talker(bus.System), {ID: "w", Weight: 2, Reactor: talker("w").Reactor}},
		Threshold: 1.5, Rounds: -1, Deadline: -time.Second,
	})
	for _, want := range []string{"agents[0]", "agent.id", "taken", "agent.weight", "threshold", "rounds", "deadline"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %q: %v", want, err)
		}
	}
	if _, err := swarm.New(swarm.Options{}); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("no agents: got %v, want invalid", err)
	}
	if _, err := newSwarm(t, swarm.Options{Agents: []*agents.Agent{talker("a")}}).Solve(t.Context(), signals.Task{}); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("no task: got %v, want invalid", err)
	}
}

func TestRecipientsAloneHear(t *testing.T) {
	heard := map[string]int{}
	var mu sync.Mutex
	counts := func(id string) *agents.Agent {
		return &agents.Agent{ID: id, Listens: []signals.Kind{signals.KindDiscovery}, Reactor: agents.Func(func(context.Context, signals.Any) seq {
			mu.Lock()
			defer mu.Unlock()
			heard[id]++
			return agents.Say()
		})}
	}
	whisper := &agents.Agent{ID: "whisper", Listens: []signals.Kind{signals.KindTask}, Reactor: agents.Func(func(context.Context, signals.Any) seq {
		return agents.Say(signals.New(signals.Header{Recipients: signals.To("a")}, signals.Discovery{Finding: "x"}))
	})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{whisper, counts("a"), counts("b")}}))
	if diff := cmp.Diff(map[string]int{"a": 1}, heard); diff != "" {
		t.Error(diff)
	}
	if len(r.Log) != 2 {
		t.Errorf("the log has %d signals, want the whisper too", len(r.Log))
	}
}
