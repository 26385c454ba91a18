// Package replay derives from the log of solves what they decided, and compares it with
// what the log says.
//
//	r, err := replay.New(journal.Snapshot{})
//	for _, s := range log {
//		err = r.Next(s) // a *replay.Difference if the log says something else
//	}
//	fmt.Println(r.Decisions, "decisions are identical")
//
// A [Replay] folds each thread ([swarm/runlog.Thread]), detects conflicts, decides by the
// terms on record, and learns where the original learned. It reads values and returns
// values: it has no means to notify, call or write.
//
// A replay that trusts the log ([Trust]) accepts what it cannot derive. It is for
// readers that want to know what the log says.
//
// # State
//
// What outlives the records of a log is a [Memory]: what was learned, and which names are
// taken. It stands for records that were dropped, and is part of the state that a swarm
// saves in its journal ([Saved]), so that the next start does not fold all of it again.
package replay
