// Package swarm lets many agents decide together.
//
//	s, err := swarm.New(swarm.Options{Agents: team})
//	defer s.Shutdown(ctx)
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
// # Time
//
// A round waits for a quarter of the deadline, or for an agent's TurnTimeout,
// and goes on without the turns that are late, which the log says ([Late]). What
// comes of them is committed when it comes, as long as the solve goes on; an
// agent takes no other turn before. A turn whose TurnTimeout is over is given up.
// Turns end a moment before the deadline (a twentieth of it, at most 250 ms), so
// that what they have can be committed and weighed. A reactor that does not
// listen to its context is left behind and named ([Result].LeftBehind), and
// [Swarm.Shutdown] waits for it. If nobody else has anything to say then, the
// solve stops with [StopDeadline], not for want of agreement.
//
// # Decisions
//
// The swarm folds proposals and votes into a [consensus.Round] and asks it at
// each commit. Turns of a round count as simultaneous: before all of them are
// committed a decision stands only when nothing that is still to come could
// change it; then the rest of the turns are cancelled. What they cost is
// counted, what they said is dropped. An escalation stops the solve when
// everybody of the round was heard.
//
// Proposals that say the same are one ([Options].Same); a vote without a weight
// weighs what its header's confidence is.
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
// the agents do. [Swarm.Resume] goes on with an escalated one from its log, and
// [Swarm.Replay] gives a log's decision again.
//
// # Repeating a run
//
// With the same seed, clock, agents and inputs, two solves write the same log,
// byte for byte, as far as the agents are functions of their [agents.Turn] and
// none is late. What was learned before is an input too: solves one
// after the other repeat from an empty ledger, or from one that was saved.
package swarm
