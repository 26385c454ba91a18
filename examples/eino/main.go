// Command eino takes an agent of another framework, CloudWeGo's Eino, into a swarm: it
// answers as a model does, and a thinker makes signals of what it says. It is a module
// of its own, so that nobody else takes in what Eino needs. The Eino agent's own model
// is a scripted one here, so that no key is needed.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"strings"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// ask is all that it takes: the conversation goes to the Eino agent, and its last
// message comes back.
func ask(runner *adk.Runner) func(context.Context, *models.Request) (*models.Answer, error) {
	return func(ctx context.Context, r *models.Request) (*models.Answer, error) {
		input, text := []adk.Message{schema.SystemMessage(r.System)}, ""
		for _, m := range r.Messages {
			input = append(input, &schema.Message{Role: schema.RoleType(m.Role), Content: m.Text})
		}
		events := runner.Run(ctx, input)
		for event, more := events.Next(); more; event, more = events.Next() {
			if event.Err != nil {
				return nil, event.Err
			}
			message, _, err := adk.GetMessage(event)
			if err != nil {
				return nil, err
			}
			text = message.Content
		}
		return models.Text(text), nil
	}
}

// critic stands for a model of Eino's.
type critic struct{}

func (critic) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	answer := `{"say":[{"type":"pass","reason":"nothing to look at"}]}`
	if strings.Contains(in[len(in)-1].Content, `"P1"`) {
		answer = `{"say":[{"type":"vote","proposal":"P1","reasons":"jitter keeps clients out of step","stance":"agree","confidence":0.9}]}`
	}
	return schema.AssistantMessage(answer, nil), nil
}

func (c critic) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := c.Generate(ctx, in, o...)
	return schema.StreamReaderFromArray([]*schema.Message{m}), err
}

func (c critic) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return c, nil }

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	eino, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{Name: "critic", Description: "finds faults", Model: critic{}})
	if err != nil {
		return err
	}
	runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: eino})
	planner := models.Script(`{"say":[{"type":"proposal","content":"back off with jitter","reasons":"it spreads load","confidence":0.8},
		{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}]}`)
	s, err := swarm.New(swarm.Options{Seed: 1, Agents: []*agents.Agent{
		thinker.Thinker{ID: "planner", Model: planner}.Agent(),
		thinker.Thinker{ID: "critic", Model: &models.Scripted{Name: "eino", Answer: ask(runner)}, CanEmit: []signals.Kind{signals.KindVote}}.Agent(),
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	show := transcript.Text(out, nil)
	for event, err := range s.Stream(ctx, signals.Task{Task: "Which retry policy?"}) {
		if err != nil {
			return err
		}
		if err := show(event); err != nil {
			return err
		}
	}
	return nil
}
