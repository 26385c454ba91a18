// Package lifecycle folds a log into the state of coordination: which signals of a thread
// are live, which components may end them, and whether the thread has converged.
//
//	thread := lifecycle.NewThread()
//	for s := range log { // of one thread
//		thread.Apply(s)
//	}
//	fmt.Println(thread.Converged())
//
// Package connectivity writes the log: notes and transitions of package coordination, and
// entries for steps, modes, members and closed threads, whose kinds are declared here. A
// [Fold] has all threads of a layer; a [Thread] is enough for a reader of one thread.
//
// Neither has a clock, a lock or a bus: a log gives the same state wherever it is read.
package lifecycle
