// Package conflict finds proposals that cannot both stand.
//
//	d := conflict.NewDetector(nil)
//	d.Fold(proposal)                  // by one agent
//	change := d.Fold(rival)           // by another, in the same thread
//	fmt.Println(len(change.Opened))   // 1
//
// Two live proposals of one thread are rivals when their sources and their
// contents differ: an agent may refine its own proposal, and two agents may say
// the same. A proposal is live from Fold until Remove; the caller, who keeps
// the log, removes proposals that expire or leave it.
//
// # One conflict per proposal
//
// A proposal opens at most one conflict, with its oldest live rival, however
// many there are, so that a log carries at most one conflict signal per
// proposal. The conflict represents the proposal's conflict with all its older
// rivals: if the oldest is removed, it continues with the next live one.
// Unresolved yields each conflict with its current rival; Pairs yields every
// pair of rivals, resolved or not.
//
// # Bounds
//
// A conflict ends when it is resolved, when its thread reaches consensus, or
// when its newer proposal or the last older rival is removed. A thread has a
// bounded number of open conflicts; beyond the bound, new conflicts are only
// counted. Memory is proportional to the number of live proposals.
//
// A Detector is a fold of the log: the same signals in the same order give the
// same answers. It has no clock, and is not safe for concurrent use.
package conflict
