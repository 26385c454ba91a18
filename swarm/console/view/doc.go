// Package view shows the logs of solves as values of the console's API.
//
//	b, err := view.New("review", snapshot)
//	for s := range log {
//		frame, err := b.Apply(s) // what clients of the feed are told
//	}
//	detail, ok := b.Detail("solve-1", 0)
//
// A [Book] is a fold of the log of one run: what it says in words, the votes and the
// support after each signal are derived as the signals come, so that a reader that asks
// later gets the same as one that followed. It adds nothing to the log and trusts it:
// package replay checks it.
package view
