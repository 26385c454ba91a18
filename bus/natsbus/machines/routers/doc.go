// Package routers runs rooms on several machines: the process that holds a lease has the
// router, the others follow, and one of them goes on when it is lost.
//
//	records := machines.Numbered(roomlog.Kinds()...)
//	log, err := natsbus.Join(ctx, natsbus.Options{Codec: codec, Reserved: routers.Reserved(), Digest: records.Fold})
//	r, err := routers.Open(&routers.Options{Log: log, Records: records, Make: makeOffice})
//	go r.Run(ctx)
//	receipt, err := r.Say(ctx, "ops", rooms.Message{Content: "@Reed, is the backup whole?"})
//	for e, err := range r.Events(ctx, rooms.From{Room: "ops"}) { … }
//
// # One router
//
// The journal of the router is the log ([machines.Store]), which it writes under its lease:
// nothing that a router writes after another has taken over is in the log of any process.
// The next router begins with all that is in the log, so with the same queues, credits,
// numbers of sections, chains and unread counts, and takes turns again that were running, as
// after a kill of a process of its own ([rooms.Router]).
//
// # Snapshots
//
// A stream with limits drops what the rooms need. With [Options].Snapshots the process that
// drives them stores snapshots of the log, and a process that joins begins with one. It is
// refused if it lacks a signal of the rooms: what was said is their state, so that a
// snapshot grows with it.
//
// # Everywhere
//
// What is read in a process is a fold of the log in that process. What changes something is
// asked of the router, wherever it is, and waits while there is none. A message of the user
// that is asked for twice, because a router was lost before it answered, is said once: the
// next router finds it in the log. (If two processes say the same words in the same room in
// that moment, they are one message.)
//
// Fragments of what an agent is about to say, and passes, are shown in the router's process
// alone.
package routers
