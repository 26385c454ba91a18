// Package agents is one agent: what it listens to, what it may say, and how
// it takes its turns.
//
//	critic := &agents.Agent{
//		ID:      "critic",
//		Listens: []signals.Kind{signals.KindProposal},
//		CanEmit: []signals.Kind{signals.KindVote},
//		Reactor: agents.On(func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
//			return agents.Say(agents.Agree(p.Payload.ProposalID, 0.9, "it has jitter"))
//		}),
//	}
//
// # A function
//
// An agent is a function from a turn to signals, so it is tested without a
// swarm: build a [Turn], call [Agent.Take] and look at what comes back. What
// publishes the signals, binds their source and enforces CanEmit is whoever
// drives the agent, such as package swarm.
//
// # Turns
//
// A [Turn] holds all that an agent may want to know: the task, what is new, what
// it heard and said before in this solve, and the proposals with their votes. So
// an agent needs no state of its own, and one value serves many solves at once.
// An agent that asks a model does it once in a turn ([Func]); one that reacts to
// single signals says to which ([On], [Each]).
//
// A turn's random numbers and ids come from the seed, the thread, the agent and
// the round alone, so that a run can be repeated exactly. A turn has a bound on
// what it says and may have one on its time; an agent that panics fails its turn
// and nothing else. An error that passes ([Passing]) says that taking the turn
// again may help.
//
// # Routing
//
// An agent may have a [routing.Router], which decides about signals before the
// agent gets them: whether it does, whether one stops it, at once or after its
// turn, whether the state of its strategy changes, and whether another of its
// functions reacts ([Agent].Actions).
//
// # Attention
//
// An agent may take in a bounded number of new signals a turn ([Agent].Attention).
// The most relevant come first, from those with the best record, and the others
// wait ([Agent.Attend]). [Turn.Positions] is what the others hold, in as few words
// as asked for; [Personality] says how the agent leans, in numbers and in words.
// An agent with several strategies learns which serves it ([Chooser]).
//
// The examples are on pkg.go.dev and in the package's example_test.go; go doc does
// not show them.
package agents
