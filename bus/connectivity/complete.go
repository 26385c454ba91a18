package connectivity

import (
	"context"
	"slices"
)

// Complete notifies the recipients of signals that ended in a thread whose log broke off
// behind the note or the step that ended them. It is for a thread that continues, after
// [Rebuild] or [Layer.Adopt]: the log is then the one that did not break off. It writes
// nothing if nothing is missing, and calls no observer.
func (l *Layer) Complete(ctx context.Context, thread string) error {
	return l.commit(ctx, func(b *batch) error {
		last := l.threadLocked(thread).ending
		all := last.untold()
		if len(all) == 0 {
			return errNothing
		}
		b.ended(last.by, thread, all[0].State, slices.Values(all))
		return nil
	}, nil)
}
