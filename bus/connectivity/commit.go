package connectivity

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// commit atomically appends the entries that decide puts into the batch to the log, folds
// them, and calls the observers. decide runs with both locks held. The result, if not nil,
// is that of the batch, with the signal that changed last as it was then.
func (l *Layer) commit(ctx context.Context, decide func(*batch) error, result *Emission) error {
	defer l.drain(ctx) // also if a handler of the bus exits the goroutine
	return l.write(ctx, false, decide, result)
}

// record is commit for changes of signals that are in the log, which the bus does
// not refuse for lack of room, and which are no events.
func (l *Layer) record(ctx context.Context, decide func(*batch) error) error {
	return l.write(ctx, true, decide, nil)
}

// atEnd calls f with the position of the newest signal of the log and the state there.
func (l *Layer) atEnd(f func(last uint64)) error {
	return l.record(context.Background(), func(b *batch) error {
		f(b.next - 1)
		return errNothing
	})
}

// write keeps its functions on the stack: the bus keeps b.folded alone.
func (l *Layer) write(ctx context.Context, records bool, decide func(*batch) error, result *Emission) (err error) {
	b := batches.Get().(*batch)
	decided := func(next uint64, now time.Time) ([]signals.Any, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		*b = batch{layer: l, next: next, now: now, last: l.fold.Last(), since: l.fold.Since(next, ""), entries: b.entries[:0], folded: b.folded}
		err := decide(b)
		return b.entries, err
	}
	if records {
		err = l.log.Record(ctx, decided, b.folded)
	} else {
		err = l.log.Append(ctx, decided, b.folded)
	}
	if err != nil && err != errNothing { //nolint:errorlint // it is never wrapped, and all suppressed emissions end here
		l.mu.Lock()
		defer l.mu.Unlock()
		b.over = nil // the entries may enter the log later
		return invalid(err)
	}
	if result != nil {
		*result = b.result
	}
	if cap(b.entries) <= 16 { // which the bus has copied
		batches.Put(b)
	}
	return nil
}
