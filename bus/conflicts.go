package bus

import (
	"context"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Conflicts yields the open conflicts of a thread, oldest first, as they are
// when the iteration starts.
func (b *Bus) Conflicts(thread string) iter.Seq[conflict.Pair] {
	return func(yield func(conflict.Pair) bool) {
		b.mu.Lock()
		open := slices.Collect(b.conflicts.Unresolved(thread))
		b.mu.Unlock()
		for _, p := range open {
			if !yield(p) {
				return
			}
		}
	}
}

// Resolve ends the open conflict between two signals of a thread, named in
// either order, by publishing a [conflict.Resolution] as the system.
func (b *Bus) Resolve(ctx context.Context, thread string, x, y signals.ID, reason string) (Receipt, error) {
	return b.System().Publish(ctx, signals.New(
		signals.Header{Thread: thread, Confidence: 1},
		conflict.Resolution{SignalA: x, SignalB: y, Reason: reason},
	))
}

func (b *Bus) conflictsEndedLocked(c conflict.Change, resolved bool) {
	for _, pair := range c.Ended {
		b.emitLocked(ConflictEnded{pair, resolved})
	}
}
