// Hello lets three agents decide on a retry policy.
package main

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func plan(_ context.Context, task *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
	return agents.Emit(agents.Propose("backoff", "exponential backoff with jitter", 0.8, "it spreads load"))
}

func review(reason string) agents.Reactor {
	return agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Agree(p.Payload.ProposalID, 0.9, reason))
	})
}

func main() {
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		{ID: "planner", CanEmit: []signals.Kind{signals.KindProposal}, Reactor: agents.On(plan)},
		{ID: "critic", CanEmit: []signals.Kind{signals.KindVote}, Reactor: review("jitter takes clients out of step")},
		{ID: "tester", CanEmit: []signals.Kind{signals.KindVote}, Reactor: review("five tries end within 3 s")},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := s.Solve(context.Background(), signals.Task{Task: "Which retry policy?"})
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range result.Log {
		if vote, ok := signals.As[signals.Vote](entry); ok {
			fmt.Printf("%s: %s, %s\n", vote.Source, vote.Payload.Stance, vote.Payload.Reasoning)
		}
	}
	fmt.Printf("%s: %s (%s)\n", result.Stop, result.Answer, result.Detail)
	if err := s.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
}
