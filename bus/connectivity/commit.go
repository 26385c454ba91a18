package connectivity

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity/lifecycle"
	"github.com/swarmbus/swarmbus/signals"
)

// commit atomically appends the entries that decide puts into the batch to the log, folds
// them, and calls the observers. decide runs with both locks held; committed, which may be
// nil, runs after the fold.
func (l *Layer) commit(ctx context.Context, decide func(*batch) error, committed func([]lifecycle.Change)) error {
	defer l.drain(ctx) // also if a handler of the bus exits the goroutine
	return l.write(ctx, (*bus.Layer).Append, decide, committed)
}

// record is commit for changes of signals that are in the log, which the bus does
// not refuse for lack of room, and which are no events.
func (l *Layer) record(ctx context.Context, decide func(*batch) error) error {
	return l.write(ctx, (*bus.Layer).Record, decide, nil)
}

// atEnd calls f with the position of the newest signal of the log and the state there.
func (l *Layer) atEnd(f func(last uint64)) error {
	return l.record(context.Background(), func(b *batch) error {
		f(b.next - 1)
		return errNothing
	})
}

// An appending is [bus.Layer.Append] or [bus.Layer.Record].
type appending func(*bus.Layer, context.Context, func(uint64, time.Time) ([]signals.Any, error), func([]signals.Any)) error

func (l *Layer) write(ctx context.Context, to appending, decide func(*batch) error, committed func([]lifecycle.Change)) error {
	b := batches.Get().(*batch)
	decided := func(next uint64, now time.Time) ([]signals.Any, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		*b = batch{layer: l.opts.Name, next: next, now: now, last: l.fold.Last(), since: l.fold.Since(next, ""), entries: b.entries[:0]}
		err := decide(b)
		return b.entries, err
	}
	folded := func(entries []signals.Any) {
		l.mu.Lock()
		defer l.mu.Unlock()
		var changes []lifecycle.Change
		for _, s := range entries {
			changes = l.fold.Apply(s, changes)
		}
		l.events.add(changes, b.hooked && !b.left)
		if committed != nil && !b.left {
			committed(changes)
		}
	}
	err := to(l.log, ctx, decided, folded)
	if err != nil && err != errNothing { //nolint:errorlint // it is never wrapped, and all suppressed emissions end here
		l.mu.Lock()
		defer l.mu.Unlock()
		b.left = true // the entries may enter the log later
		return invalid(err)
	}
	b.retire()
	return nil
}
