package swarm_test

import (
	"context"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// A planner proposes, three reviewers vote, and the swarm decides.
func ExampleSwarm_Solve() {
	planner := &agents.Agent{
		ID:      "planner",
		Listens: []signals.Kind{signals.KindTask},
		CanEmit: []signals.Kind{signals.KindProposal},
		Reactor: agents.On(func(_ context.Context, task *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
			return agents.Say(signals.New(
				signals.Header{Confidence: 0.8},
				signals.Proposal{ProposalID: "backoff", Content: "exponential backoff with jitter", Reasoning: "it spreads load"},
			))
		}),
	}
	reviewer := func(id string, stance signals.Stance, reason string) *agents.Agent {
		return &agents.Agent{
			ID:      id,
			Listens: []signals.Kind{signals.KindProposal},
			CanEmit: []signals.Kind{signals.KindVote},
			Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
				return agents.Say(signals.New(
					signals.Header{Confidence: 0.9},
					signals.Vote{ProposalID: p.Payload.ProposalID, Stance: stance, Weight: 0.9, Reasoning: reason},
				))
			}),
		}
	}
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		planner,
		reviewer("ada", signals.Agree, "has jitter"),
		reviewer("dan", signals.Disagree, "no upper bound"),
		reviewer("bob", signals.Agree, "seen it work"),
		reviewer("cyn", signals.Agree, "simple"),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	result, err := s.Solve(context.Background(), signals.Task{Task: "Which retry policy?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Stop, "after", result.Rounds, "rounds:", result.Answer)
	for _, v := range result.Decision.Dissent() {
		fmt.Println("dissent:", v.Voter, v.Reason)
	}
	// Output:
	// consensus after 2 rounds: exponential backoff with jitter
	// dissent: dan no upper bound
}
