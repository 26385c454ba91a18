package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

func ExampleAgent_Take() {
	critic := &agents.Agent{
		ID: "critic",
		Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
			return agents.Emit(agents.Disagree(p.Payload.ProposalID, 0.9, "no jitter"))
		}),
	}
	proposal := signals.New(signals.Header{}, signals.Proposal{ProposalID: "backoff", Content: "exponential backoff"})
	said, err := critic.Take(context.Background(), &agents.Turn{New: []signals.Any{proposal}})
	if err != nil {
		fmt.Println(err)
		return
	}
	vote, _ := signals.As[signals.Vote](said[0])
	fmt.Println(vote.Source, vote.Payload.Stance, vote.Payload.Reasoning)
	// Output: critic disagree no jitter
}

// A model answers messages with text.
type model func(ctx context.Context, messages ...string) (string, error)

// voter asks the model once in a turn, with the task and everything that the
// agent has heard in this solve.
func voter(id string, ask model) *agents.Agent {
	return &agents.Agent{ID: id, CanEmit: []signals.Kind{signals.KindVote}, Reactor: agents.Func(
		func(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			messages := []string{"Decide on " + t.Task.Task}
			for _, s := range slices.Concat(t.Heard, t.New) {
				messages = append(messages, fmt.Sprintf("%s says %+v", s.Head().Source, s.Body()))
			}
			text, err := ask(ctx, messages...)
			if err != nil {
				return agents.Fail(err)
			}
			var answer struct {
				Proposal, Reason string
				Confidence       float64
			}
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				return agents.Fail(err)
			}
			return agents.Emit(agents.Agree(answer.Proposal, answer.Confidence, answer.Reason))
		},
	)}
}

// An agent that asks a model, tested without a swarm.
func ExampleFunc() {
	scripted := func(_ context.Context, messages ...string) (string, error) {
		fmt.Println(len(messages), "messages, the last one:", messages[len(messages)-1])
		return `{"proposal": "backoff", "confidence": 0.8, "reason": "it spreads load"}`, nil
	}
	said, err := voter("ada", scripted).Take(context.Background(), &agents.Turn{
		Task:  signals.Task{Task: "the retry policy"},
		Heard: []signals.Any{signals.New(signals.Header{Source: "bob"}, signals.Memory{Content: "a herd took us down", Category: "past"})},
		New:   []signals.Any{signals.New(signals.Header{Source: "planner"}, signals.Proposal{ProposalID: "backoff", Content: "with jitter"})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	vote, _ := signals.As[signals.Vote](said[0])
	fmt.Println(vote.Source, vote.Payload.Stance, vote.Payload.ProposalID, vote.Payload.Weight)
	// Output:
	// 3 messages, the last one: planner says {ProposalID:backoff Content:with jitter Reasoning:}
	// ada agree backoff 0.8
}
