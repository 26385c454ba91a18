package bus

import (
	"iter"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Filter picks signals from the history. All conditions must hold, bounds
// are inclusive, and the zero value picks everything.
type Filter struct {
	Kinds         []signals.Kind // nil: all
	Threads       []string       // nil: all
	Source        string         // "": any
	Since, Until  time.Time      // zero: no bound
	ReplyTo       signals.ID     // zero: any
	MinConfidence float64
	After         uint64 // only greater sequence numbers
}

func (f *Filter) match(s signals.Any) bool {
	h := s.Head()
	return h.Seq > f.After &&
		(f.Kinds == nil || slices.Contains(f.Kinds, s.Kind())) &&
		(f.Threads == nil || slices.Contains(f.Threads, h.Thread)) &&
		(f.Source == "" || f.Source == h.Source) &&
		(f.Since.IsZero() || !h.Time.Before(f.Since)) &&
		(f.Until.IsZero() || !h.Time.After(f.Until)) &&
		(f.ReplyTo.IsZero() || f.ReplyTo == h.ReplyTo) &&
		h.Confidence >= f.MinConfidence
}

// History yields what is kept and not expired, in log order: the signals that
// f picks of one consistent moment, the start of the iteration. Publishers go on
// meanwhile. Nothing that decides should read it: it is a bounded window.
func (b *Bus) History(f Filter) iter.Seq[signals.Any] {
	return func(yield func(signals.Any) bool) {
		for _, s := range b.snapshot(f) {
			if !yield(s) {
				return
			}
		}
	}
}

func (b *Bus) snapshot(f Filter) []signals.Any {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.opts.Clock()
	var picked []signals.Any
	for _, s := range b.history {
		if h := s.Head(); !h.Expired(now) && f.match(s) {
			picked = append(picked, s)
		}
	}
	return picked
}

// Get returns the signal with that id if it is kept and not expired.
func (b *Bus) Get(id signals.ID) (signals.Any, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, held := b.ids[id]
	if !held {
		return nil, false
	}
	if h := s.Head(); h.Expired(b.opts.Clock()) {
		return nil, false
	}
	return s, true
}

// Last returns the sequence number of the newest signal, 0 before the first.
func (b *Bus) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// evictLocked makes the history fit, oldest first.
func (b *Bus) evictLocked(now time.Time) {
	for len(b.history) > b.opts.History {
		oldest := b.history[0]
		b.history[0] = nil
		b.history = b.history[1:]
		b.forgetLocked(oldest, now)
	}
}

// Sweep frees the room that expired signals take, and tells observers. The
// bus does it by itself every so often; expired signals are never returned or
// delivered, swept or not.
func (b *Bus) Sweep() {
	b.mu.Lock()
	now := b.opts.Clock()
	b.history = slices.DeleteFunc(b.history, func(s signals.Any) bool {
		h := s.Head()
		if !h.Expired(now) {
			return false
		}
		b.forgetLocked(s, now)
		return true
	})
	b.mu.Unlock()
	b.takeSteps()
}

// forgetLocked drops what the bus knows of a signal that left the history.
func (b *Bus) forgetLocked(s signals.Any, now time.Time) {
	h := s.Head()
	delete(b.ids, h.ID)
	if h.Expired(now) {
		b.counts.expired++
		b.emitLocked(Expired{s})
	} else {
		b.counts.evicted++
		b.emitLocked(Evicted{s})
	}
	if p, ok := signals.As[signals.Proposal](s); ok {
		b.releaseProposalLocked(p)
		b.conflictsEndedLocked(b.conflicts.Remove(h.ID), false)
	}
}

func (b *Bus) startSweeperLocked() {
	if b.sweeping || b.opts.Sweep < 0 || b.state == closed {
		return
	}
	b.sweeping = true
	b.wg.Go(func() {
		tick := time.NewTicker(b.opts.Sweep)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.Sweep()
			case <-b.done:
				return
			}
		}
	})
}
