// Command conflict lets two agents make rival proposals: the log announces the conflict
// right behind its cause, and a third agent, which listens to nothing else, settles it.
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

// proposes is an agent that has made up its mind.
func proposes(id, content string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose(id, content, 0.8, ""), agents.Agree(id, 0.6, "it is mine"))
	})}
}

// judge waits until there is something to settle.
func judge(_ context.Context, c *signals.Signal[signals.Conflict]) iter.Seq2[signals.Any, error] {
	return agents.Emit(
		agents.Agree("ann", 0.9, "clients do not fall into step"),
		agents.Disagree("bob", 0.9, "it is a stampede: "+c.Payload.Description),
	)
}

func main() {
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		proposes("ann", "back off with jitter"), proposes("bob", "retry at once"), {ID: "judge", Reactor: agents.On(judge)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	result, err := s.Solve(context.Background(), signals.Task{Task: "Which retry policy?"})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range result.Log {
		switch p := s.Body().(type) {
		case signals.Proposal:
			fmt.Printf("%2d %s proposes: %s\n", s.Head().Seq, s.Head().Source, p.Content)
		case signals.Conflict:
			fmt.Printf("%2d conflict: %s\n", s.Head().Seq, p.Description)
		case signals.Vote:
			fmt.Printf("%2d %s: %s %s\n", s.Head().Seq, s.Head().Source, p.Stance, p.ProposalID)
		}
	}
	fmt.Printf("%s: %s (%s)\n", result.Stop, result.Answer, result.Detail)
}
