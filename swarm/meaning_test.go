package swarm_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// replier answers each proposal with one signal, besides a vote for it.
func replier(id string, to func(proposal signals.ID) signals.Any) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) seq {
		return agents.Emit(to(p.ID), vote(p.Payload.ProposalID, yes, 0.9))
	})}
}

// A doubt and a challenge inform: they block nothing that enough agents vote for.
func TestDoubtsAndChallengesBlockNoProposal(t *testing.T) {
	for name, reply := range map[string]func(signals.ID) signals.Any{
		"doubt": func(id signals.ID) signals.Any {
			return signals.New(signals.Header{Confidence: 1}, signals.Doubt{TargetSignalID: id, Concern: "too slow", Severity: signals.High})
		},
		"challenge": func(id signals.ID) signals.Any {
			return signals.New(signals.Header{Confidence: 1}, signals.Challenge{TargetSignalID: id, CounterArgument: "too slow"})
		},
	} {
		r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
			proposer("p", "a", "do a"), replier("d", reply), voter("v", map[string]signals.Stance{"a": yes}),
		}}))
		if r.Stop != runlog.StopConsensus || r.Answer != "do a" {
			t.Errorf("with a %s: %v %q, want a consensus on a", name, r.Stop, r.Answer)
		}
	}
}

// How many challenged, and how many would have if each had decided alone, is in the result.
func TestAResultSaysTheRiskOfGroupthink(t *testing.T) {
	risk := func(reply func(signals.ID) signals.Any) float64 {
		r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a"), replier("d", reply), replier("e", reply)}}))
		return r.Groupthink.Risk
	}
	silent := risk(func(signals.ID) signals.Any { return agents.Pass("nothing to add") })
	open := risk(func(id signals.ID) signals.Any {
		return signals.New(signals.Header{Confidence: 1}, signals.Challenge{TargetSignalID: id, CounterArgument: "too slow"})
	})
	if !(silent > 0.5 && open == 0) {
		t.Errorf("risk %v if nobody challenges, and %v if all do", silent, open)
	}
}

// The causal level of a vote reaches a strategy; those of the library give it no weight.
func TestACausalLevelIsSeenByAStrategyAndWeighsNothing(t *testing.T) {
	seen := map[string]consensus.CausalLevel{}
	look := consensus.Func("looks", func(b consensus.Ballots) consensus.Decision {
		for v := range b.Votes() {
			seen[v.Voter] = v.CausalLevel
		}
		return consensus.Voting{}.Decide(b)
	})
	for _, by := range []consensus.Strategy{look, consensus.ConfidenceWeighted{}, consensus.Bayesian{}, consensus.Entropy{}, consensus.Hierarchical{}, consensus.Voting{}} {
		var support [2]float64
		for i, level := range []signals.CausalLevel{0, signals.Counterfactual} {
			against := signals.With(vote("a", no, 0.6), signals.Header{Confidence: 0.6, CausalLevel: level})
			r := solve(t, newSwarm(t, swarm.Options{Strategy: by, Agents: []*agents.Agent{
				says("p", propose("a", "do a"), vote("a", yes, 0.6)), says("q", against), says("w", vote("a", yes, 0.6)),
			}}))
			support[i] = r.Decision.Confidence
		}
		if support[0] != support[1] {
			t.Errorf("%s: confidence %v, and with a counterfactual %v", by.Name(), support[0], support[1])
		}
	}
	if seen["q"] != consensus.Counterfactual || seen["w"] != 0 {
		t.Errorf("the strategy saw %v", seen)
	}
}
