// Package roomlog says what the log of rooms means: the state of a router as one fold
// of its events and records. It is pure.
//
//	state := roomlog.New()
//	for s := range log {
//		if err := state.Apply(s); err != nil { … }
//	}
//	choice, ok := state.Choose(now) // whose turn it is, for which message, and why
//
// Everything that a router decides by is in the state: rooms and members, the queues,
// credits and pauses of agents, turns that are running, the ledger of mail, the
// heads of the chains, numbers of sections, and what the user has not read. So a
// router that starts again goes on exactly where it ended.
//
// # Records
//
// Besides events the log has three records, which are not part of a room's chain:
// [Began] and [Ended] of turns, and [Read] of the user. A turn that has begun and not
// ended is taken again after a restart. What it has said and which tools it has
// called is in [Running], so that nothing is said or called twice.
//
// # Order of turns
//
// One turn at a time runs in a room, so that members answer one after the other and
// hear each other; different rooms have turns at the same time. The next turn is
// chosen by two rotas ([schedule.Rota]): one between the rooms with waiting messages
// and no running turn, one between the members of that room. So a waiting room gets a
// turn within 4·R turns that begin, if R rooms wait, and a waiting agent within 4·N of
// its room's, if N members wait. An agent waits in the room of its next message, which
// changes only if a more urgent message arrives, so at most twice per message.
//
// # Mail
//
// Mail is not queued: an agent hears all its waiting mail in its next turn, whatever
// that is for, and waits for that turn as urgently as the most urgent of its mail and its
// next message. Mail for an idle agent begins a turn of its own, in the room in which it
// arrived, or if the agent has left that, in the one that it joined first. An agent that is
// in no room keeps its mail until it joins one.
package roomlog
