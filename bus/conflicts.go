package bus

import (
	"context"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// The role of a signal for the fold of conflicts, by its payload type.
const (
	isUnknown uint8 = iota // not determined yet
	isNothing
	isFolded
	closesThreads // a ThreadCloser: some of its signals do
)

// A ThreadCloser is a payload that may close its thread: with a signal of the system
// for which ClosesThread returns true, the bus closes the thread, as
// [Bus.CloseThread] does. It does so when the signal enters the log, published or
// fed, so that after feeding a log the same proposals are live as on the bus that
// wrote it.
type ThreadCloser interface{ ClosesThread() bool }

func (b *Bus) roleOf(s signals.Any) uint8 {
	if b.fold.Takes(s) {
		return isFolded
	}
	if _, ok := s.Body().(ThreadCloser); ok {
		return closesThreads
	}
	return isNothing
}

// An opening is a conflict with the sequence number of the signal that opened it.
type opening struct {
	pair  conflict.Pair
	cause uint64
}

// foldLocked adds an entry that has just entered the log to the fold.
func (b *Bus) foldLocked(d *draft, s signals.Any) {
	if d.Pages.Role == closesThreads {
		if over, ok := s.Body().(ThreadCloser); ok && d.Source == System && over.ClosesThread() {
			b.conflictsEndedLocked(b.fold.CloseThread(d.ThreadText), false)
		}
		return
	}
	change := b.fold.Apply(s)
	b.conflictsEndedLocked(change.Ended, false)
	b.conflictsEndedLocked(change.Resolved, true)
	for _, pair := range change.Announced {
		b.emitLocked(ConflictOpened{pair})
	}
	for _, pair := range change.Opened {
		b.emitLocked(ConflictOpened{pair})
		b.opened = append(b.opened, opening{pair, d.Seq})
	}
}

func (b *Bus) conflictsEndedLocked(ended []conflict.Pair, resolved bool) {
	for _, pair := range ended {
		b.emitLocked(ConflictEnded{pair, resolved})
	}
}

// appendConflictsLocked appends the signals of the conflicts that ds opened.
func (b *Bus) appendConflictsLocked(ds []draft) {
	for _, o := range b.opened {
		b.appendConflictLocked(o.pair, &ds[o.cause-ds[0].Seq])
	}
	clear(b.opened)
	b.opened = b.opened[:0]
}

func (b *Bus) appendConflictLocked(pair conflict.Pair, cause *draft) {
	if _, _, held := b.log.Find(pair.ID()); held {
		return // the history has the same conflict of two other signals with these ids
	}
	s := signals.New(signals.Header{
		Thread: pair.Thread, ReplyTo: pair.B.Signal, Confidence: 1, Round: cause.head.Round,
	}, pair.Payload())
	d := draft{head: &s.Header}
	d.Entry = store.Entry{
		Signal: s, Pages: b.pagesLocked(s), KindText: signals.KindConflict, Thread: cause.Thread, ThreadText: pair.Thread,
		Seq: b.log.Last() + 1, ID: pair.ID(), Foreign: true, Source: System, ReplyTo: s.ReplyTo,
		Time: cause.Time, TTL: cause.TTL, At: cause.At, Due: cause.Due,
	}
	if b.rules.capacity > 0 {
		d.bytes = size(s)
	}
	b.appendLocked(&d)
}

// CloseThread ends a thread: its proposals are no longer live, its open conflicts
// end, and its proposal ids become free. Its signals stay in the history. A
// program that keeps opening threads should close them, because the number of live
// proposals is limited ([conflict.Options]).
func (b *Bus) CloseThread(thread string) {
	b.mu.Lock()
	b.conflictsEndedLocked(b.fold.CloseThread(thread), false)
	b.mu.Unlock()
	b.showEvents()
}

// FindsConflicts reports whether the bus looks for conflicts.
func (b *Bus) FindsConflicts() bool { return b.fold.Detects() }

// Conflicts yields the open conflicts of a thread, oldest first, as of the start
// of the iteration.
func (b *Bus) Conflicts(thread string) iter.Seq[conflict.Pair] {
	return func(yield func(conflict.Pair) bool) {
		b.mu.Lock()
		b.conflictsEndedLocked(b.fold.Expire(b.clock.now()), false)
		open := slices.Collect(b.fold.Unresolved(thread))
		b.mu.Unlock()
		b.showEvents()
		for _, p := range open {
			if !yield(p) {
				return
			}
		}
	}
}

// Resolve ends the open conflict between two signals of a thread, named in
// either order, by publishing a [conflict.Resolution] as the system. It returns
// [conflict.ErrNotOpen] if there is none.
func (b *Bus) Resolve(ctx context.Context, thread string, x, y signals.ID, reason string) (Receipt, error) {
	return b.System().Publish(ctx, signals.New(
		signals.Header{Thread: thread, Confidence: 1},
		conflict.Resolution{SignalA: x, SignalB: y, Reason: reason},
	))
}
