// Package conflict finds proposals that cannot both stand.
//
//	f := conflict.NewFold(nil)
//	f.Apply(proposal)                  // by one agent
//	change := f.Apply(rival)           // by another, in the same thread
//	fmt.Println(len(change.Opened))    // 1
//
// The bus that keeps a log applies its signals to a [Fold]. Two live proposals of one
// thread are rivals when their sources and their contents differ: an agent may
// refine its own proposal, and two agents may say the same. A proposal is live until
// it expires or its thread is closed. Its id belongs to the first source and content
// that used it, until no proposal of the thread is live.
//
// # One conflict per proposal
//
// A proposal with any number of rivals opens at most one conflict, with the oldest
// live one, so that a log carries at most one conflict signal per
// proposal. The conflict represents the proposal's conflict with all its older
// rivals: if the oldest is removed, it continues with the next live one.
// Unresolved yields each conflict with its current rival.
//
// # Rules
//
// A program may find other contradictions with a [Rule]: [OpposedVotes], or a
// similarity function of its own ([RuleFor]). The conflicts are announced by signals
// in the log, from which a fold learns of them, so that all readers of the log
// agree.
//
// # Bounds
//
// A conflict ends when it is resolved, when its thread reaches consensus, or
// when its newer proposal or the last older rival is no longer live. A thread has a
// bounded number of open conflicts; beyond the bound, new conflicts are only
// counted. Memory is proportional to the number of live proposals, which is bounded.
//
// The same signals in the same order give the same answers: a fold has no clock, and
// is not safe for concurrent use. Its part that finds rivals is a [Detector].
package conflict
