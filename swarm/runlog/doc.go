// Package runlog says what the log of a solve means.
//
//	t := runlog.New("solve-1")
//	for _, s := range log {
//		t.Apply(s)
//	}
//	fmt.Println(t.Turns.Rounds, t.Votes.Show(""), t.Stage.Over())
//
// A [Thread] is the fold of the signals of one thread: proposals and votes,
// conflicts, turns, questions and answers, terms, decision and stop. It depends on
// nothing but the signals and their order: it has no clock, calls nobody and
// publishes nothing. So the swarm that runs a solve, one that resumes it, and readers
// of a journal agree on its state, and the fold of a prefix followed by the rest
// equals the fold of the whole.
//
// Each concern of a log is a type of its own in a file of its own, with a method
// apply that takes the next signal. [Thread.Apply] calls them in order.
//
// The package also has the payloads of the records that a swarm publishes beside the
// signals of its agents ([Kinds]), by which decisions can be derived from the log
// alone.
//
// A Thread is not safe for concurrent use.
package runlog
