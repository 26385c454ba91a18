// Package swarm lets many agents decide together.
//
//	s, err := swarm.New(swarm.Options{Agents: team})
//	defer s.Close()
//	result, err := s.Solve(ctx, signals.Task{Task: "Which retry policy?"})
//	fmt.Println(result.Stop, result.Answer)
//
// # Rounds
//
// A solve is a thread on the bus. The task opens it; in each round every agent
// that has heard something new takes a turn, all turns at once, each in its
// own goroutine. What they say is committed in the order of the agents,
// whoever was first, so a round does not depend on timing. Signals of a round
// are heard in the next.
//
// # Decisions
//
// The swarm folds proposals and votes into a [consensus.Round] and asks it at
// each commit. Turns of a round count as simultaneous: before all of them are
// committed a decision stands only when no votes that are still to come could
// change it; then the rest of the turns are cancelled. What they cost is
// counted, what they said is dropped.
//
// # Learning
//
// A swarm that is given no strategy keeps a [reliability.Ledger]: how each
// solve was voted on and, where [Swarm.Resolve] is told, what turned out to be
// right. A solve decides by what was known when it began, so solves at once do
// not see each other in this either. The first twenty decide as
// [consensus.ConfidenceWeighted] does; docs/concepts.md has the rest.
//
// # Stopping
//
// Every solve ends with one [StopReason] and a [Result] with all that was
// committed until then. It is bounded in time, rounds and signals, whatever
// the agents do. A deadline interrupts turns; an agent that does not listen to
// its context is left behind, and [Swarm.Shutdown] waits for it.
//
// # Repeating a run
//
// With the same seed, clock, agents and inputs, two solves write the same log,
// byte for byte, as far as the agents are functions of what they hear and of
// their [agents.Turn]. What was learned before is an input too: solves one
// after the other repeat from an empty ledger, or from one that was saved.
package swarm
