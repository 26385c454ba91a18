// Package conflict finds proposals that cannot both stand.
//
//	d := conflict.NewDetector(nil)
//	d.Fold(proposal)                  // by one agent
//	change := d.Fold(rival)           // by another, in the same thread
//	fmt.Println(len(change.Opened))   // 1
//
// Two live proposals of one thread are rivals when their sources and their
// contents differ: an agent may refine its own proposal, and two agents may
// say the same. Live means folded and not yet removed; who keeps the log
// removes what expires or leaves it.
//
// # One conflict a proposal
//
// A proposal opens at most one conflict, with its oldest live rival, however
// many there are, so that a log carries one conflict signal a proposal. The
// conflict stands for what the proposal has against all older ones: should that
// rival be removed, it goes on with the next that is live. Unresolved yields
// each with the rival it has now; Pairs yields every two rivals, resolved or
// not.
//
// # Bounds
//
// A conflict ends when it is resolved, when its thread reaches consensus, when
// its newer side is removed, or the last older rival. A thread has a bounded
// number of open conflicts; beyond it rivals open no more and are counted.
// Memory follows the live proposals.
//
// A Detector is a fold of the log: the same signals in the same order give the
// same answers. It has no clock and must not be used concurrently.
package conflict
