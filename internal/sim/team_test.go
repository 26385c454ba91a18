package sim_test

import (
	"context"
	"iter"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

type said = iter.Seq2[signals.Any, error]

// finding is what the team remembers.
const finding = "the pump leaks"

func (w *world) agent(id string, react func(ctx context.Context, t *agents.Turn) said) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) said {
		if err := w.asks(ctx); err != nil {
			return agents.Fail(err)
		}
		return react(ctx, t)
	})}
}

// votes are the votes of an agent on what it has not voted on.
func votes(t *agents.Turn, favourite string) (all []signals.Any) {
	for _, s := range t.New {
		p, ok := signals.As[signals.Proposal](s)
		if !ok {
			continue
		}
		stance := signals.Disagree
		if p.Payload.ProposalID == favourite {
			stance = signals.Agree
		}
		all = append(all, signals.New(signals.Header{Confidence: .9, ReplyTo: p.ID}, signals.Vote{ProposalID: p.Payload.ProposalID, Stance: stance, Weight: 1, Reasoning: "because"}))
	}
	return all
}

// team are two that propose, one that looks before it votes and says what it found, one that charges, which a person has
// to allow, and one that only votes.
func (w *world) team(by journal.Caller) []*agents.Agent {
	proposes := func(id, proposal string) *agents.Agent {
		return w.agent(id, func(_ context.Context, t *agents.Turn) said {
			all := votes(t, proposal)
			if len(t.Said) == 0 {
				all = append(all, signals.New(signals.Header{Confidence: .8}, signals.Proposal{ProposalID: proposal, Content: "do " + proposal}))
			}
			return agents.Emit(all...)
		})
	}
	look := tools.Func("look", "Looks.", tools.Hints{ReadsOnly: true}, func(context.Context, struct{}) (string, error) {
		w.step("tool")
		if w.take(panicked) {
			panic("sim: a tool panics")
		}
		return "seen", nil
	})
	charge := tools.Func("charge", "Charges once.", tools.Hints{}, func(context.Context, struct{}) (string, error) {
		w.step("tool")
		if w.has(kill) {
			return "", errKilled
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.charged++
		return "charged", nil
	})
	calls := func(id string, tool tools.Tool, policy tools.Policy) *agents.Agent {
		set := tools.Of(tool)
		set.Record = cassette.Tools(by)
		set.May = []tools.Rule{{Tools: tool.Name, Policy: policy}}
		return w.agent(id, func(ctx context.Context, t *agents.Turn) said {
			ballots := votes(t, "a")
			if len(ballots) == 0 {
				return agents.Emit()
			}
			c, err := set.Begin(ctx)
			if err != nil {
				return agents.Fail(err)
			}
			if _, err := c.Make(ctx, models.Call{ID: "1", Name: tool.Name, Args: []byte(`{}`)}); err != nil {
				return agents.Fail(err)
			}
			if err := w.asks(ctx); err != nil { // with the result
				return agents.Fail(err)
			}
			if id == "scout" && len(t.Said) == 0 {
				ballots = append(ballots, signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: finding, Evidence: "seen", Relevance: 1}))
			}
			return agents.Emit(ballots...)
		})
	}
	return []*agents.Agent{
		proposes("p", "a"), proposes("q", "b"), calls("scout", look, tools.Allow), calls("clerk", charge, tools.Ask),
		w.agent("v", func(_ context.Context, t *agents.Turn) said { return agents.Emit(votes(t, "a")...) }),
	}
}
