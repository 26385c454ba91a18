// Command thinkers lets three agents that ask a language model decide on a retry
// policy, within a budget. It needs no key: the model is a server in the same program,
// which speaks OpenAI's protocol and answers by a script. With -serve ADDRESS it is the
// server alone, for swarmbus solve.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func main() {
	serve := flag.String("serve", "", "be the server alone, at this address")
	flag.Parse()
	if *serve != "" {
		fmt.Println("the key is", modelstest.Key, "and the model", modelstest.Name)
		log.Fatal(http.ListenAndServe(*serve, modelstest.Handler(modelstest.OpenAI, script))) //nolint:gosec // a server for tests
	}
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	server := modelstest.NewServer(modelstest.OpenAI, script)
	defer server.Close()
	model, err := openai.New(openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key})
	if err != nil {
		return err
	}
	defer model.Close()

	budget := limits.NewBudget(limits.Spend{Tokens: 60_000})
	shared := limits.New(limits.Options{Budget: budget})
	s, err := swarm.New(swarm.Options{Seed: 1, Agents: team(shared.Limit(model), nil)})
	if err != nil {
		return err
	}
	defer s.Close()

	show := transcript.Text(out, nil)
	for event, err := range s.Stream(ctx, signals.Task{Task: "Which retry policy should our clients use?"}) {
		if err != nil {
			return err
		}
		if err := show(event); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "budget: %v spent; the server counts %s\n", budget.Account().Spent, spent(server.Spent()))
	return err
}

// team is three agents with one model.
func team(m models.Model, show func(string, models.Piece)) []*agents.Agent {
	return []*agents.Agent{
		thinker.Thinker{ID: "planner", Role: "You propose solutions.", Model: m, Show: show}.Agent(),
		thinker.Thinker{ID: "critic", Role: "You look for what is wrong.", Model: m, Show: show}.Agent(),
		thinker.Thinker{ID: "verifier", Role: "You check what is claimed.", Model: m, Show: show}.Agent(),
	}
}
