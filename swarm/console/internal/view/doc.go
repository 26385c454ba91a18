// Package view shows the logs of solves as values of the console's API.
//
//	b, err := view.New("review", snapshot)
//	for s := range log {
//		frame, err := b.Apply(s) // for clients of the feed
//	}
//	detail, ok := b.Detail("solve-1", 0)
//
// A [Book] is a fold of the log of one run: texts, votes and the support after each signal
// are derived as the signals come, so that a reader that joins later gets the same as one
// that followed. It adds nothing to the log and trusts it: package replay checks it.
package view
