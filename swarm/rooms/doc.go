// Package rooms runs standing agents that talk in rooms: one process, one router, a
// user who directs attention by choosing a room.
//
//	r, err := rooms.New(ctx, &rooms.Options{Store: journal, Keys: &events.Keys{Dir: "keys"}, Agents: []rooms.Standing{
//		{Agent: reed, Rooms: []string{"ops", "design"}},
//	}})
//	go r.Run(ctx)
//	receipt, err := r.Say(ctx, "ops", rooms.Message{Content: "@Reed, is the backup whole?"})
//	for e, err := range r.Events(ctx, rooms.From{Room: "ops"}) { … }
//
// # Rooms
//
// A message of the user is queued for all members of the room, or, if it addresses
// members by name, for those. The other members hear it in their next turn there. The
// members answer one after the other, the one with the most urgent message first: see
// packages schedule and roomlog. Up to [Options].Turns turns run at once, in different
// rooms.
//
// What an agent says ([Say]) is visible to the user and to all members of the room,
// who hear it in their next turn. It is queued for the members that it is addressed
// to, so that agents that only comment do not keep each other talking, and no further
// than [Options].Hops messages from the user's. Together the messages of agents ask for at
// most [Options].Budget turns for one message of the user. Addressees that are not in the
// room get it by mail, in the room that they joined first.
//
// # Priority
//
// A stated priority counts before one that is inferred from the text (package text),
// and that before the default: urgent for the user, normal for agents. Why a message
// has its priority is in its event. Of an agent's messages in [QuotaTurns] turns only
// [Quota] are urgent, whatever it states; further ones are normal.
//
// # Full queues
//
// A message that finds the queue of a member full is not queued for it: the receipt
// says so, and so does a system event in the room. If it can be queued for no member, it
// is refused with [ErrFull] and is not in the log.
//
// # Agents
//
// Agents are those of package agents. A turn has the message and mail as new signals,
// the recent events of the room as those heard before, and the reactor yields what the
// agent says. During a turn [Of] gives access to the room: fragments of an answer are
// shown at once, tools are called so that the room sees them. Tools leave a stub of one
// line; what a tool returned is in no later prompt, but can be read as section §N.
//
// An agent that fails is paused, for twice as long each time, while its messages
// wait. The failure is a system event. After [Options].Tries failed turns for a
// message it is set aside, with the mail of that turn, so that it does not keep the agent
// from the others; a system event says so.
//
// # One truth
//
// Events and records are signals on a bus and in a journal; the state of the router is
// a fold of them (package roomlog). After a crash the router continues with the same
// queues, credits and numbers. A turn that was running is taken again: its messages and
// tool results are taken from the log, and so are its model calls if the agent's model
// records them there (package cassette). A call that was running is repeated if it may be
// ([Call].Repeats). Otherwise the router asks the user about it in the room, and the user
// answers "repeat §N" or "skip §N" there, by [Router.Say].
package rooms
