package main

import (
	"context"
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

type said = iter.Seq2[signals.Any, error]

// team is two planners with rival proposals, a critic that doubts one of them,
// and four voters, one of which cannot be persuaded.
func team() []*agents.Agent {
	return []*agents.Agent{
		planner("planner", "backoff", "exponential backoff with full jitter, five tries"),
		planner("hurrier", "at-once", "three tries, at once"),
		critic(),
		voter("sceptic", "at-once", "users do not wait"),
		voter("operator", "backoff", "a herd of clients took us down in spring"),
		voter("tester", "backoff", "at once can be shown to make it worse"),
		voter("capacity", "backoff", "it spreads the load"),
	}
}

// divided is that team without the voters that decide it.
func divided() []*agents.Agent { return team()[:5] }

// trouble is a team that turns its only proposal down, with everything going
// wrong on the way: one member panics, one is slow, one says what only the system
// may say, and one votes on what nobody proposed.
func trouble() []*agents.Agent {
	panics := planner("intern", "", "")
	panics.Reactor = agents.On(func(context.Context, *signals.Signal[signals.Task]) said { panic("a nil map") })
	slow := voter("sleeper", "", "it hides the fault")
	slow.Reactor = agents.Reactors{sleep, slow.Reactor.(agents.Each)}
	forger := planner("forger", "", "")
	forger.CanEmit = nil
	forger.Reactor = agents.On(func(context.Context, *signals.Signal[signals.Task]) said {
		return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Consensus{ProposalID: "at-once", Decision: "as I say"}))
	})
	stray := voter("stray", "", "")
	stray.Reactor = agents.On(func(context.Context, *signals.Signal[signals.Proposal]) said {
		return agents.Emit(signals.New(signals.Header{Confidence: 0.9},
			signals.Vote{ProposalID: "at-last", Stance: signals.Agree, Weight: 0.9, Reasoning: "a typing error"}))
	})
	return []*agents.Agent{
		planner("hurrier", "at-once", "three tries, at once"), panics, forger, stray,
		voter("operator", "", "a herd of clients took us down in spring"), voter("tester", "", "it can be shown to make it worse"), slow,
	}
}

func sleep(ctx context.Context, _ signals.Any) said {
	select {
	case <-time.After(slowness):
	case <-ctx.Done():
	}
	return agents.Emit()
}

// slowness is how long the slow one takes.
const slowness = 250 * time.Millisecond

func planner(id, proposal, content string) *agents.Agent {
	return &agents.Agent{
		ID: id, Listens: []signals.Kind{signals.KindTask}, CanEmit: []signals.Kind{signals.KindProposal},
		Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) said {
			return agents.Emit(signals.New(signals.Header{Confidence: 0.8}, signals.Proposal{ProposalID: proposal, Content: content}))
		}),
	}
}

func critic() *agents.Agent {
	return &agents.Agent{
		ID: "critic", Listens: []signals.Kind{signals.KindProposal}, CanEmit: []signals.Kind{signals.KindDoubt},
		Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) said {
			if p.Payload.ProposalID != "at-once" {
				return agents.Emit()
			}
			return agents.Emit(signals.New(signals.Header{Confidence: 0.7}, signals.Doubt{
				TargetSignalID: p.ID, Concern: "everybody would try again in the same second", Severity: signals.High,
			}))
		}),
	}
}

// voter agrees with one proposal, "" for none, and with no other.
func voter(id, choice, reason string) *agents.Agent {
	return &agents.Agent{
		ID: id, Listens: []signals.Kind{signals.KindProposal}, CanEmit: []signals.Kind{signals.KindVote},
		Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) said {
			v := signals.Vote{ProposalID: p.Payload.ProposalID, Stance: signals.Disagree, Weight: 0.9, Reasoning: reason}
			if v.ProposalID == choice {
				v.Stance = signals.Agree
			}
			return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, v))
		}),
	}
}
