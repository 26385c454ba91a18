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
//
// # State
//
// What a log says of coordination is a fold: which signals of a thread are live, which
// components may end them, and whether the thread has converged.
//
//	thread := coordination.NewThread()
//	for s := range log { // of one thread
//		thread.Apply(s)
//	}
//	fmt.Println(thread.Converged())
//
// A layer writes that log: notes and transitions, and entries for steps, modes, members
// and closed threads. A [Fold] has all threads of a layer; a [Thread] is enough for a
// reader of one. Neither has a clock, a lock or a bus: a log gives the same state wherever
// it is read.
package coordination
