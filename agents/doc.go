// Package agents is one agent: what it listens to, what it may say, and how
// it takes its turns.
//
//	critic := &agents.Agent{
//		ID:      "critic",
//		Listens: []signals.Kind{signals.KindProposal},
//		CanEmit: []signals.Kind{signals.KindVote},
//		Reactor: agents.On(func(ctx context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
//			return agents.Say(signals.New(
//				signals.Header{Confidence: 0.9},
//				signals.Vote{ProposalID: p.Payload.ProposalID, Stance: signals.Agree, Weight: 0.9},
//			))
//		}),
//	}
//
// # A function
//
// An agent is a function from a signal to signals, so it is tested without a
// bus: call [Agent.Take] with an inbox and look at what comes back. What
// publishes the signals, binds their source and enforces CanEmit is whoever
// drives the agent, such as package swarm.
//
// # Turns
//
// In a turn an agent reacts to each signal of its inbox, one after the other.
// Its context carries a [Turn]: random numbers and ids that come from the
// seed, the agent and the turn alone, so that a run can be repeated exactly.
// A turn has a bound on what it says and may have one on its time; an agent
// that panics fails its turn and nothing else.
package agents
