// Package coordination is the vocabulary in which the parts of a swarm coordinate:
// attention, confidence, notices of conflicts, handoffs and escalations. Agents say it,
// and a layer of package connectivity emits it with a lifecycle.
//
//	coordination.Draft(coordination.Note{Class: coordination.HandoffReady, Summary: "all green"})
//
// An agent yields a draft in its turn like any signal, and a [Resolution] to say that what
// was addressed to it has been dealt with. Who gets a note, and whether it repeats another,
// is decided when the driver of the turn emits it. What is addressed to an agent reaches
// its next turn as a [Signal].
package coordination
