package connectivity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A flight is signals on their way to the log: decided, but not in the fold.
// The layer's lock is not held meanwhile, so others may be under way too; what
// would decide otherwise if it knew of a flight waits for it.
type flight struct {
	thread  string
	entries []signals.Any
	by      *bus.Publisher // of what is emitted
	emits   bool           // its first entry is a note
	closes  bool           // the thread
	step    int            // what the thread advances to; 0: it does not
	since   uint64         // after which place in the log the step is
	ends    []*record

	first uint64   // place of the first entry in the log, once it has landed
	told  *telling // its events, once it has landed and if anybody observes
	held  bool     // its events wait for the hook
	over  bool     // landed or dropped
	flown bool     // the bus has returned
	late  bool     // somebody gave up waiting for it
	after uint64   // the thread was closed at this place meanwhile
	done  chan struct{}
}

// patience is how long to wait for a flight. A commit takes microseconds. Only
// a publish that waits for room in a subscription takes longer, or one that
// waits, under our own feet, for us; then it is taken as if it had landed.
const patience = 100 * time.Millisecond

// departLocked registers a flight. Every departed flight is flown.
func (l *Layer) departLocked(f *flight) {
	for _, r := range f.ends {
		r.ending = f
	}
	l.flights = append(l.flights, f)
}

// fly publishes a flight and folds it, and returns the place of its first
// signal. The lock is not held. The flight is gone then, unless it is held.
func (l *Layer) fly(ctx context.Context, p *bus.Publisher, f *flight) (first uint64, err error) {
	var last uint64 // place of the last entry; 0: not published
	returned := false
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !returned { // a handler ended this goroutine
			l.landAllLocked()
		}
		switch {
		case f.over:
		case last > 0:
			l.landLocked(f, last)
		default:
			l.overLocked(f)
		}
		first = f.first
		f.flown = returned
		if !f.held {
			l.retireLocked(f)
		}
	}()
	last, err = publish(ctx, p, f.entries)
	returned = true
	return 0, err
}

// publish returns the place of the last entry. Almost always there is one,
// which allocates less than several: two objects of 400 bytes.
func publish(ctx context.Context, p *bus.Publisher, entries []signals.Any) (uint64, error) {
	if len(entries) == 1 {
		receipt, err := p.Publish(ctx, entries[0])
		return receipt.Seq, err
	}
	receipts, err := p.PublishAll(ctx, entries...)
	if err != nil {
		return 0, err
	}
	return receipts[len(receipts)-1].Seq, nil
}

// landAllLocked folds the flights that are in the log, though their publish
// has not returned: it may be running the handler that is asking. The log's
// history tells, which holds a thing for far longer than this takes.
func (l *Layer) landAllLocked() {
	for i := 0; i < len(l.flights); {
		f := l.flights[i]
		last := l.lookLocked(f)
		if last == 0 {
			i++
			continue
		}
		l.landLocked(f, last) // takes it out of the list
	}
}

// lookLocked returns the place in the log of a flight's last signal, 0 if it is
// not there.
func (l *Layer) lookLocked(f *flight) uint64 {
	last := signals.HeadOf(f.entries[len(f.entries)-1])
	if last.ID.IsZero() {
		return l.lookForStepLocked(f)
	}
	if s, there := l.bus.Get(last.ID); there {
		return signals.HeadOf(s).Seq
	}
	return 0
}

// lookForStepLocked knows a step by its number: no two of a thread that are
// under way have the same.
func (l *Layer) lookForStepLocked(f *flight) uint64 {
	for s := range l.bus.History(bus.Filter{
		Source: system, Threads: []string{f.thread}, Kinds: []signals.Kind{KindStep}, After: f.since,
	}) {
		if step, ok := signals.As[Step](s); ok && step.Payload == (Step{l.opts.Name, f.step}) {
			return step.Seq
		}
	}
	return 0
}

// landLocked folds a flight whose last signal is at that place in the log.
func (l *Layer) landLocked(f *flight, last uint64) {
	f.first, l.landed = last+1-uint64(len(f.entries)), max(l.landed, last)
	var room [2]change
	changes := room[:0]
	for i, s := range f.entries {
		if seq := f.first + uint64(i); seq > f.after {
			changes, _ = l.fold.apply(s, seq, changes) // its own signals always apply
		}
	}
	l.overLocked(f)
	if f.closes {
		l.closedLocked(f.thread, last)
	}
	if f.step > 0 { // ends are written together by recipients, and told in log order
		slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.record.seq, b.record.seq) })
	}
	l.tellLocked(f, changes)
	l.fold.sweep()
}

func (l *Layer) closedLocked(thread string, at uint64) {
	delete(l.places, thread)
	for _, other := range l.flights {
		if other.thread == thread {
			other.after = at
		}
	}
}

func (l *Layer) overLocked(f *flight) {
	f.over = true
	for _, r := range f.ends {
		if r.ending == f { // or its place has another record by now
			r.ending = nil
		}
	}
	if i := slices.Index(l.flights, f); i >= 0 {
		l.flights = slices.Delete(l.flights, i, i+1)
	}
	if f.done != nil {
		close(f.done)
	}
}

// awaitLocked lets go of the lock until f is over, for a while.
func (l *Layer) awaitLocked(ctx context.Context, f *flight) error {
	if f.done == nil {
		f.done = make(chan struct{})
	}
	done := f.done
	l.mu.Unlock()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	var err error
	late := false
	select {
	case <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timeout.C:
		late = true
	}
	l.lock()
	f.late = f.late || late
	return err
}

// aheadLocked returns a flight of the thread that what comes next has to wait
// for, nil if none: one that closes it, or one that also suits.
func (l *Layer) aheadLocked(thread string, suits func(*flight) bool) *flight {
	for _, f := range l.flights {
		if !f.late && f.thread == thread && (f.closes || suits != nil && suits(f)) {
			return f
		}
	}
	return nil
}
