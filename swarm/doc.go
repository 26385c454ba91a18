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
// with something new to hear takes a turn, all of them concurrently, each in
// its own goroutine. Their signals are committed in the order of the agents,
// whichever finishes first, so a round does not depend on timing. Signals of a
// round are heard in the next one.
//
// # Time
//
// A round waits for a quarter of the deadline, or for an agent's TurnTimeout, and
// then continues without the turns that are late, as the log records ([runlog.Late]).
// Their results are committed when they arrive, as long as the solve runs; until
// then the agent takes no other turn. A turn that exceeds its TurnTimeout is
// abandoned. Turns end a moment before the deadline (a twentieth of it, at most
// 250 ms), so that their results can still be committed and counted. A reactor
// that ignores its context is left behind and named ([solves.Result].LeftBehind), and
// [Swarm.Shutdown] waits for it. If no other agent has anything to say then, the
// solve stops with [runlog.StopDeadline], not with a deadlock.
//
// # Decisions
//
// The swarm folds proposals and votes into a [consensus.Round] and evaluates it
// at each commit. Turns of a round count as simultaneous: before all of them
// are committed, a decision stands only if nothing that is still to come could
// change it; then the remaining turns are canceled. Their cost is counted, but
// their signals are dropped. An escalation stops the solve once all turns of
// the round are committed.
//
// Conflicts between proposals that the votes leave open are settled as
// [Options].Conflicts says: see package settle. The turns of a debate are turns like
// others: recorded, resumed and replayed.
//
// A voter keeps its first ballot: in a round after that in which it first agrees with a proposal, a
// vote of it counts only if it rests on what a tool returned (not on what an agent says so: [agents.Returned]), or on a discovery that a second source
// confirms by what a tool returned to it, which it had not heard then ([claims.Checks]). After a person's answer
// all vote anew. Votes that do not count change nothing and wake nobody.
//
// Equal proposals count as one ([Options].Same); a vote without a weight has
// its header's confidence as weight.
//
// # Modes
//
// The sections above describe deliberation. In other modes ([Options].Mode) a plan that is recorded
// at the beginning ([runlog.Planned]) says who takes a turn in each round, and agents are
// shown what the plan has for them, not what others have answered. An agent's proposal is
// its answer, and counts without a vote. Nothing is debated, and only the agents that
// the plan asks take turns; otherwise rounds are like those of deliberation. See package mode.
//
// # Timers
//
// Timers of an agent's router ([routing.Schedule]) fire by the run's clock: at the
// beginning of a round, those that are due, as signals of the system to the agent. A
// solve in which no agent has anything to say, and which is not decided, waits for the
// next timer if that is due within its time.
//
// # Coordination
//
// Agents may yield the signals of package coordination like any others. The swarm emits
// them through a layer ([Coordination].Layer) in commit order. The layer checks and
// addresses them, and suppresses those that only repeat an open one. A signal for an agent
// is in its next turn ([agents.Turn].Inbox), and is a reason for one. A round is a step of
// the solve's thread.
//
// While a conflict notice or an escalation is open, while a critical signal is unanswered,
// or while the newest grade of a source is low, no proposal is chosen: the votes wait,
// and count once nothing is open. Otherwise the solve ends undecided, and
// [solves.Result].Detail says what is open. A critical escalation that no agent ends in the turn
// in which it gets it is a question to a person outside ([runlog.StopEscalated]), whose answer
// ends it. After a handoff only those who continue begin turns: the agents that it is
// addressed to, by default the next in order ([Coordination].Continues).
//
// A solve in which no agent coordinates has nothing of this in its log.
//
// # Learning
//
// A swarm without a strategy keeps a [reliability.Ledger] of the votes of each
// solve and of the outcomes reported by [Swarm.RecordOutcome]. A solve decides by the
// state of the ledger at its beginning, so concurrent solves do not affect each
// other in this respect either. The first five solves decide like
// [consensus.ConfidenceWeighted]; docs/concepts.md has the details.
//
// # Stopping
//
// Every solve ends with one [runlog.StopReason] and a [solves.Result] with everything
// committed until then. Its time, rounds and signals are bounded, whatever the
// agents do. [Swarm.Replay] derives the decision of a log.
//
// # Resuming
//
// With a journal ([Options].Journal) a solve can outlive its process. The input of
// each turn is in the journal before the turn begins ([runlog.Began]), so that after a
// crash [Swarm.Resume] can repeat the turn with the same input. A call is repeated
// only if its result is not in the journal: a model of package cassette, with a
// recorder of the same journal, answers once.
//
// An escalated solve waits for an answer from outside the swarm, in this process
// or in another; Resume accepts one answer.
//
// # Reproducibility
//
// With the same seed, clock, agents and inputs, two solves write the same log,
// byte for byte, provided that the agents are functions of their [agents.Turn]
// and none is late. The ledger is an input too: a sequence of solves is
// reproducible from an empty ledger or from a saved one.
package swarm
