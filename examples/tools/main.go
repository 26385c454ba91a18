// Command tools lets an agent call a tool before it answers. What the tool returns is quoted
// in the prompt as what other agents say is, and a signal that the others hear.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// lookUp tells how a service has been.
var lookUp = thinker.Tool{
	Tool: models.Tool{
		Name: "error_rate", Description: "Share of requests that failed in the last hour.",
		Schema: json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}},"required":["service"],"additionalProperties":false}`),
	},
	Call: func(_ context.Context, args json.RawMessage) (string, error) {
		var asked struct{ Service string }
		if err := json.Unmarshal(args, &asked); err != nil || asked.Service != "payments" {
			return "", fmt.Errorf("no service %q", asked.Service)
		}
		return "0.31", nil
	},
}

// script is the model: it asks for the tool, and once it has what came of it, answers.
func script(_ int, r *models.Request) modelstest.Reply {
	if last := r.Messages[len(r.Messages)-1]; len(last.Results) > 0 {
		return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"open the circuit breaker","reasons":"the tool says ` +
			`that a third of the requests fail","confidence":0.9},{"type":"vote","proposal":"new","reasons":"it is what they wait for","stance":"agree","confidence":0.9}]}`}
	}
	return modelstest.Reply{Calls: []models.Call{{ID: "call_1", Name: "error_rate", Args: json.RawMessage(`{"service":"payments"}`)}}}
}

func main() {
	server := modelstest.NewServer(modelstest.OpenAI, script)
	defer server.Close()
	model, err := openai.New(openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key})
	check(err)
	defer model.Close()
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		thinker.Thinker{ID: "operator", Role: "You keep services up.", Model: model, Tools: []thinker.Tool{lookUp}}.Agent(),
	}})
	check(err)
	defer s.Close()
	result, err := s.Solve(context.Background(), signals.Task{Task: "Payments are slow. What now?"})
	check(err)
	for _, s := range result.Log {
		if tool, ok := signals.As[signals.ToolResult](s); ok {
			fmt.Printf("%s called %s: %s\n", tool.Source, tool.Payload.ToolName, tool.Payload.Result)
		}
	}
	fmt.Printf("%s: %s\n", result.Stop, result.Answer)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
