// Package events defines the events of rooms, which are typed and can be verified.
//
//	sealed, err := events.Seal(events.Event{Room: "reed", From: "Reed", Time: now, Body: events.Dialogue{…}}, head, key)
//	data, err := json.Marshal(sealed) // one JSON object with the fields of the specification
//
// # Fields
//
// The fields are those of the specification, with its names. Fields that the specification
// defines as null are present as null. These are added, all of them covered by the id:
//
//   - prev is the id of the previous event of the room, "" for the first.
//   - reply_to is the id of the event that this one answers.
//   - why is the reason of the priority of a message.
//   - to are the members that a message is for, hops the number of messages between
//     agents that led to it.
//   - stream is common to the fragments of an answer and the answer, part is the
//     number of a fragment.
//   - refs are the events that the references §N of a dialogue resolve to.
//   - what and agent are the change that a system event reports.
//
// seq is the position in the log, for readers that continue later. It is not part of
// the event: neither the id nor the signature covers it.
//
// There are two more types: a user event is a message of the user, and a key event
// announces the key with which an agent signs from then on.
//
// # Identity
//
// The id of an event is the SHA-256 of its canonical form (RFC 8785) without id, sig
// and seq, in hexadecimal. As prev is part of it, the id of a room's newest event, its
// head, covers the whole history of the room. Key events are in a chain of their own,
// that of the room "".
//
// sig is the Ed25519 signature of the id's text, in base64, by the key of the agent
// that the event is from. Events from the user or the router are signed by the key of the
// process, which signs the first key of each agent too; a later key is signed by the one
// before.
//
// Fragments and passes are shown and not kept: they have ids and signatures, but are
// not part of a chain.
//
// # Verification
//
// [Verify] reads the events of a log and names, for each room, the first event that
// fails verification. It cannot detect that the newest events of a room are missing, or
// that a whole log was forged with other keys: for that, keep the head of each room, or
// the key of the process, elsewhere ([Pins]).
package events
