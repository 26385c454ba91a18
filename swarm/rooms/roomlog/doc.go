// Package roomlog defines the meaning of the log of rooms: the state of a router as one
// fold of its events and records. It is pure.
//
//	state := roomlog.New()
//	for s := range log {
//		if err := state.Apply(s); err != nil { … }
//	}
//	choice, ok := state.Choose(now) // whose turn it is, for which message, and why
//
// The state has all inputs of a router's decisions: rooms and members, the queues,
// credits and pauses of agents, turns that are running, the ledger of mail, the
// heads of the chains, numbers of sections, and the user's unread events. So a router
// that starts again continues exactly where it ended.
//
// # Records
//
// Besides events the log has three records, which are not part of a room's chain:
// [Began] and [Ended] of turns, and [Read] of the user. A turn that has begun and not
// ended is taken again after a restart. Its messages and tool calls so far are in
// [Running], so that none of them is repeated.
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
// Mail is not queued: an agent hears all its waiting mail in its next turn, for any
// message. It waits for that turn with the priority of the most urgent of its mail and its
// next message. Mail for an idle agent begins a turn of its own, in the room in which the
// mail arrived or, if the agent has left it, in the room that the agent joined first. An
// agent in no room keeps its mail until it joins one.
//
// # Priority
//
// [Infer] applies the rules of intake to the text of a message, in this order:
//
//   - One of the words "urgent", "blocked", "critical" and "stop" makes a message
//     urgent.
//   - A direct question is normal: a text with a question mark that addresses
//     exactly one member.
//   - The words "broadcast" and "FYI" and the phrase "convention update" make it
//     background.
//
// Words are whole words, in any case: "stopped" and "unblocked" are not among them.
// Quoted text does not count, since its author is someone else: lines that begin with
// ">", and text in double quotes or backticks. Negations are not understood: "not urgent"
// is urgent.
//
// A text addresses a member by "@" and the name anywhere, or by the name at its
// beginning with a comma or a colon behind it: "Reed, is the backup whole?".
package roomlog
