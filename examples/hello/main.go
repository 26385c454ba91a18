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

func review(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
	return agents.Emit(agents.Agree(p.Payload.ProposalID, 0.9, "it has jitter"))
}

func main() {
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		{ID: "planner", CanEmit: []signals.Kind{signals.KindProposal}, Reactor: agents.On(plan)},
		{ID: "critic", CanEmit: []signals.Kind{signals.KindVote}, Reactor: agents.On(review)},
		{ID: "tester", CanEmit: []signals.Kind{signals.KindVote}, Reactor: agents.On(review)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := s.Solve(context.Background(), signals.Task{Task: "Which retry policy?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s (%s)\n", result.Stop, result.Answer, result.Detail)
	if err := s.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
}
