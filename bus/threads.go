package bus

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// CloseThread ends a thread: its proposals are no longer live, its open conflicts
// end, and its proposal ids become free. Its signals stay in the history. A
// program that keeps opening threads should close them, because the number of live
// proposals is limited ([conflict.Options]). With a [Sequencer] it does nothing: what the
// buses of a log have in common ends by signals in it ([ThreadCloser]).
func (b *Bus) CloseThread(thread string) {
	if b.shared {
		return
	}
	defer b.events.Show()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.endedLocked(b.fold.CloseThread(thread), false)
}

// Conflicts yields the open conflicts of a thread, oldest first, as of the start
// of the iteration.
func (b *Bus) Conflicts(thread string) iter.Seq[conflict.Pair] {
	return func(yield func(conflict.Pair) bool) { slices.Values(b.openIn(thread))(yield) }
}

// Resolve ends the open conflict between two signals of a thread, named in
// either order, by publishing a [conflict.Resolution] as the system. It returns
// [conflict.ErrNotOpen] if there is none.
func (b *Bus) Resolve(ctx context.Context, thread string, x, y signals.ID, reason string) (Receipt, error) {
	for p := range b.Conflicts(thread) {
		if p.A.Signal == x && p.B.Signal == y || p.A.Signal == y && p.B.Signal == x {
			r := conflict.Resolution{SignalA: x, SignalB: y, Reason: reason, DetectedAt: p.DetectedAt}
			return b.System().Publish(ctx, signals.New(signals.Header{Thread: thread, Confidence: 1}, r))
		}
	}
	return Receipt{}, fmt.Errorf("%w: between %s and %s in thread %q", conflict.ErrNotOpen, x, y, thread)
}

// FindsConflicts reports whether the bus looks for conflicts.
func (b *Bus) FindsConflicts() bool { return b.fold.Detects() }
