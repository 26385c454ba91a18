// Package agents defines a single agent: what it listens to, what it may emit,
// and how it takes its turns.
//
//	critic := &agents.Agent{
//		ID:      "critic",
//		Listens: []signals.Kind{signals.KindProposal},
//		CanEmit: []signals.Kind{signals.KindVote},
//		Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
//			return agents.Emit(agents.Agree(p.Payload.ProposalID, 0.9, "it has jitter"))
//		}),
//	}
//
// # A function
//
// An agent is a function from a turn to signals, so it can be tested without a
// swarm: build a [Turn], call [Agent.Take] and check the result. Publishing the
// signals, binding their source and enforcing CanEmit is up to the caller that
// drives the agent, such as package swarm.
//
// # Turns
//
// A [Turn] holds everything that an agent may need: the task, the new signals,
// what it heard and said earlier in this solve, and the proposals with their
// votes. So an agent needs no state of its own, and one value can serve many
// solves at once. An agent that asks a model does so once per turn ([Func]); one
// that reacts to single signals selects them by type ([On], [Each]).
//
// A turn's random numbers and ids depend only on the seed, the thread, the agent
// and the round, so that a run can be repeated exactly. The number of signals in
// a turn is bounded, and its time may be; a panic of the agent fails only its
// turn. A temporary error ([Retryable]) says that retrying the turn may help.
//
// # Coordination
//
// An agent may yield the signals of package coordination like any others: that something
// needs attention, how sure it is, that views conflict, that another may continue, that
// the plan has to change. Signals that are addressed to it are in [Turn].Inbox.
//
// # Routing
//
// An agent may have a [routing.Router], which decides about signals before the
// agent gets them: whether the agent gets the signal at all, whether it stops,
// at once or after its turn, whether the state of its strategy changes, and
// whether a custom action reacts instead ([Agent].Actions).
//
// # Costs
//
// A driver receives what a turn spends through its context:
//
//	ctx = agents.WithSpending(ctx, func(c agents.Cost) { total = total.Plus(c) })
//
// # Attention
//
// The number of new signals per turn may be limited ([Agent].Attention). The most
// relevant come first, taking into account the record of their sources, and the
// others wait ([Agent.Attend]). [Personality] describes the agent's
// tendencies, in numbers and in words. An agent with several strategies learns which works best
// ([Chooser]).
//
// The examples are on pkg.go.dev and in the package's example_test.go; go doc does
// not show them.
package agents
