// Command team lets three agents with a language model decide on a retry policy. Its
// argument is the model's name; any server that speaks OpenAI's protocol will do.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func main() {
	flag.Parse()
	model, err := openai.New(openai.Options{Model: flag.Arg(0), BaseURL: os.Getenv("OPENAI_BASE_URL"), Key: os.Getenv("OPENAI_API_KEY")})
	check(err)
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		thinker.Thinker{ID: "planner", Role: "You propose solutions.", Model: model}.Agent(),
		thinker.Thinker{ID: "critic", Role: "You look for what is wrong.", Model: model}.Agent(),
		thinker.Thinker{ID: "verifier", Role: "You check what is claimed.", Model: model}.Agent(),
	}})
	check(err)
	defer s.Close()
	result, err := s.Solve(context.Background(), signals.Task{Task: "Which retry policy should our clients use?"})
	check(err)
	for _, entry := range result.Log {
		if vote, ok := signals.As[signals.Vote](entry); ok {
			fmt.Printf("%s: %s %s, %s\n", vote.Source, vote.Payload.Stance, vote.Payload.ProposalID, vote.Payload.Reasoning)
		}
	}
	fmt.Printf("%s: %s (%s)\n", result.Stop, result.Answer, result.Detail)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
