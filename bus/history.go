package bus

import (
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
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
	NewestFirst   bool   // in reverse order
}

// History yields what is kept and not expired, in log order: the signals that
// f picks of one consistent moment, the start of the iteration. Publishers go on
// meanwhile. Nothing that decides should read it: it is a bounded window.
//
// The replies to one signal cost what there are. Otherwise the history is
// scanned, from where After and Since allow: by kind and thread without a look
// at the signals themselves, by the rest with one.
func (b *Bus) History(f Filter) iter.Seq[signals.Any] {
	return func(yield func(signals.Any) bool) {
		b.mu.Lock()
		picked := b.log.Select(store.Filter(f), b.clock.now())
		b.mu.Unlock()
		picked.Run(yield)
	}
}

// Get returns the signal with that id if it is kept and not expired.
func (b *Bus) Get(id signals.ID) (signals.Any, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, i, held := b.log.Find(id)
	if !held || s.Due[i] < b.clock.now() {
		return nil, false
	}
	b.log.Share()
	return s.Signal[i], true
}

// Last returns the sequence number of the newest signal, 0 before the first.
func (b *Bus) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Last()
}

// oldestLocked returns the sequence number of the oldest signal that is kept,
// or of the next one.
func (b *Bus) oldestLocked() uint64 {
	if pos := b.log.Floor(); pos < b.log.Next() {
		return b.log.Segment(pos).Seq[pos%store.Slots]
	}
	return b.log.Last() + 1
}
