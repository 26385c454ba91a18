// Command tools lets an agent call tools before it answers: a Go function, and the tools of
// a server of the Model Context Protocol that it starts. What a tool returns is quoted in
// the prompt as what other agents say is, and is a signal that the others hear. A call that
// writes is asked; the solve stops, and continues where it stood once that is answered.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/agents/tools/mcp"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

// query are the arguments of errorRate.
type query struct {
	Service string `json:"service" jsonschema:"the name of the service"`
}

// errorRate tells how a service has been.
func errorRate(_ context.Context, q query) (float64, error) {
	if q.Service != "payments" {
		return 0, fmt.Errorf("no service %q", q.Service)
	}
	return 0.31, nil
}

// script is the model: it calls tools, and once it has the results, answers.
func script(_ int, r *models.Request) modelstest.Reply {
	if last := r.Messages[len(r.Messages)-1]; len(last.Results) > 0 {
		return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"open the circuit breaker","reasons":"a third of the requests ` +
			`fail, and it helped in May","confidence":0.9},{"type":"vote","proposal":"new","reasons":"it is what they wait for","stance":"agree","confidence":0.9}]}`}
	}
	return modelstest.Reply{Calls: []models.Call{
		{ID: "call_1", Name: "error_rate", Args: json.RawMessage(`{"service":"payments"}`)},
		{ID: "call_2", Name: "incidents__search", Args: json.RawMessage(`{"text":"payments"}`)},
		{ID: "call_3", Name: "incidents__search", Args: json.RawMessage(`{"query":"payments"}`)},
		{ID: "call_4", Name: "incidents__note", Args: json.RawMessage(`{"text":"payments: a third fail again"}`)},
	}}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		check(serve(os.Args[2:]))
		return
	}
	ctx := context.Background()
	server := modelstest.NewServer(modelstest.OpenAI, script)
	defer server.Close()
	model, err := openai.New(openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key})
	check(err)
	defer model.Close()

	incidents, err := mcp.Open(ctx, mcp.Spec{Name: "incidents", Command: os.Args[0], Args: []string{"serve"}}, nil)
	check(err)
	defer incidents.Close()
	store := &journal.Memory{} // what is on record; a file would survive the process
	first := team(store, model, incidents)
	result, err := first.Solve(ctx, signals.Task{Task: "Payments are slow. What now?"})
	check(err)
	fmt.Printf("%s: %s\n", result.Stop, result.Detail)
	for _, q := range result.Questions {
		check(first.Answer(ctx, q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Once, By: "ann"}))
	}
	first.Close()
	second := team(store, model, incidents) // as another process would
	defer second.Close()
	result, err = second.Resume(ctx, result.Log, nil)
	check(err)
	for _, s := range result.Log {
		if tool, ok := signals.As[signals.ToolResult](s); ok {
			fmt.Printf("%s called %s: %s\n", tool.Source, tool.Payload.ToolName, tool.Payload.Result)
		}
	}
	fmt.Printf("%s: %s\n", result.Stop, result.Answer)
}

// team returns a swarm of one agent, with everything that it is told on record.
func team(store journal.Store, model models.Model, incidents tools.Source) *swarm.Swarm {
	recorder, err := journal.NewRecorder(store)
	check(err)
	set := &tools.Set{
		From: []tools.Source{
			tools.Func("error_rate", "Share of requests that failed in the last hour.", tools.Hints{ReadsOnly: true}, errorRate),
			incidents,
		},
		May:    []tools.Rule{{Tools: "error_rate"}, {Tools: "incidents/*"}, {Tools: "incidents/delete", Policy: tools.Deny}},
		Record: cassette.Tools(recorder),
	}
	s, err := swarm.New(swarm.Options{Journal: store, Agents: []*agents.Agent{
		thinker.Thinker{ID: "operator", Role: "You keep services up.", Model: cassette.Answers(model, recorder), Tools: set}.Agent(),
	}})
	check(err)
	return s
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
