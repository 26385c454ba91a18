package swarm_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestMain(m *testing.M) {
	solveUntilKilled(os.Getenv(journalEnv))
	goleak.VerifyTestMain(m)
}

type seq = iter.Seq2[signals.Any, error]

// proposer answers the task with one proposal.
func proposer(id, proposal, content string) *agents.Agent {
	return &agents.Agent{
		ID: id, Listens: []signals.Kind{signals.KindTask}, CanEmit: []signals.Kind{signals.KindProposal},
		Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) seq {
			return agents.Emit(propose(proposal, content))
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
				return agents.Emit()
			}
			return agents.Emit(vote(p.Payload.ProposalID, stance, 1))
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

func solve(t *testing.T, s *swarm.Swarm) *solves.Result {
	t.Helper()
	r, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

// checkResult holds what is true of every result.
func checkResult(t *testing.T, r *solves.Result) {
	t.Helper()
	if !r.Account.Balanced() || r.Account.Pending != 0 {
		t.Errorf("account does not balance: %+v", r.Account)
	}
	if n := r.Turns.Committed + r.Turns.Failed + r.Turns.Asked + r.Turns.Dropped; n != r.Turns.Taken {
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
	if r.Stop != runlog.StopConsensus || r.Answer != "do a" || r.Decision.Choice != "a" {
		t.Errorf("got %v %q %q, want consensus on a", r.Stop, r.Answer, r.Decision.Choice)
	}
	last, ok := signals.As[signals.Consensus](r.Log[len(r.Log)-1])
	if !ok || last.Payload.ProposalID != "a" || last.ReplyTo != r.Proposals[0].Proposal.ID {
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
		if r.Stop != runlog.StopRejected || r.Decision.Outcome != consensus.Rejected || r.Answer != "" {
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
	if r.Stop != runlog.StopDeadlock || len(r.Conflicts) != 1 {
		t.Errorf("got %v with %d conflicts, want deadlock with 1", r.Stop, len(r.Conflicts))
	}
}

func TestSilenceIsNoProgress(t *testing.T) {
	silent := &agents.Agent{ID: "silent", Reactor: agents.Each(func(context.Context, signals.Any) seq { return agents.Emit() })}
	if r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{silent}})); r.Stop != runlog.StopNoProgress {
		t.Errorf("got %v, want no progress", r.Stop)
	}
}

func TestAgentsWeightIsAFactorOnItsVotes(t *testing.T) {
	for weight, want := range map[float64]runlog.StopReason{0: runlog.StopDeadlock, 0.2: runlog.StopConsensus} {
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

func TestOneBadSignalIsRefusedAndTheRestIsKept(t *testing.T) {
	bad := &agents.Agent{
		ID: "bad", Listens: []signals.Kind{signals.KindTask},
		CanEmit: []signals.Kind{signals.KindDiscovery, signals.KindVote},
		Reactor: agents.Each(func(context.Context, signals.Any) seq {
			return agents.Emit(
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
		case solves.Refused:
			refused = append(refused, e.Err)
		case solves.Stopped:
			if len(sources(e.Result.Log)) != 7 || e.Result.Turns.Refused != 4 {
				t.Errorf("got %d signals and %+v, want the task, one discovery, 4 refused and that the turn failed", len(e.Result.Log), e.Result.Turns)
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

func TestPanickingAgentHarmsNoOther(t *testing.T) {
	panics := &agents.Agent{ID: "panics", Reactor: agents.Each(func(context.Context, signals.Any) seq { panic("boom") })}
	fails := &agents.Agent{ID: "fails", Reactor: agents.Each(func(context.Context, signals.Any) seq { return agents.Fail(errors.New("no")) })}
	r := solve(t, newSwarm(t, swarm.Options{Quorum: 1, Agents: []*agents.Agent{
		panics, proposer("p", "a", "do a"), fails, voter("v", map[string]signals.Stance{"a": yes}),
	}}))
	if r.Stop != runlog.StopConsensus || r.Turns.Failed < 2 {
		t.Errorf("got %v with %+v, want consensus beside failed turns", r.Stop, r.Turns)
	}
}

func TestAllAgentsFailingIsAnError(t *testing.T) {
	why := errors.New("no model")
	fails := &agents.Agent{ID: "fails", Reactor: agents.Each(func(context.Context, signals.Any) seq { return agents.Fail(why) })}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{fails}})
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if !errors.Is(err, why) || r.Stop != runlog.StopError {
		t.Errorf("got %v, %v, want an error because %v", r.Stop, err, why)
	}
}

func TestEscalationStopsTheSolve(t *testing.T) {
	worried := &agents.Agent{ID: "worried", Reactor: agents.Each(func(context.Context, signals.Any) seq {
		return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "needs a person"}))
	})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{worried, talker("t")}}))
	if r.Stop != runlog.StopEscalated || r.Detail != "needs a person: no one has voted; the quorum is 2" {
		t.Errorf("got %v %q, want escalated", r.Stop, r.Detail)
	}
}

func TestConflictPolicyEscalates(t *testing.T) {
	team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"b": yes})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: team, Conflicts: settle.ByEscalation, Quorum: 1}))
	if r.Stop != runlog.StopEscalated || len(r.Conflicts) != 1 {
		t.Errorf("got %v with %d conflicts, want escalated with 1", r.Stop, len(r.Conflicts))
	}
}

func TestOutsidersVotesDoNotCount(t *testing.T) {
	b := made(bus.New(nil))
	defer b.Close()
	mallory, err := b.Agent("mallory", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	intruder := proposer("p", "a", "do a")
	inner := intruder.Reactor
	intruder.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		for range 5 {
			v := signals.With(vote("a", yes, 1), signals.Header{Thread: turn.Thread})
			if _, err := mallory.Publish(ctx, v); err != nil {
				t.Error(err)
			}
		}
		return inner.React(ctx, turn)
	})
	r := solve(t, newSwarm(t, swarm.Options{Bus: b, Quorum: 1, Agents: []*agents.Agent{intruder, voter("v", map[string]signals.Stance{"a": no})}}))
	if r.Stop != runlog.StopRejected {
		t.Errorf("got %v, want rejected by the only agent that may vote", r.Stop)
	}
}

func TestBadOptionsAreAllNamed(t *testing.T) {
	_, err := swarm.New(swarm.Options{
		Agents:    []*agents.Agent{nil, {ID: ""}, talker("a"), talker("a"), talker(bus.System), {ID: "w", Weight: 2, Reactor: talker("w").Reactor}},
		Threshold: 1.5, Limits: swarm.Limits{Rounds: -1, Deadline: -time.Second},
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

// made returns a bus whose options cannot be wrong.
func made(b *bus.Bus, err error) *bus.Bus {
	if err != nil {
		panic(err)
	}
	return b
}
