package bus

import (
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// A Filter selects signals of the history. All conditions must hold, bounds are
// inclusive, and the zero value selects everything.
type Filter struct {
	Kinds         []signals.Kind // nil: all
	Threads       []string       // nil: all
	Source        string         // "": any
	Since, Until  time.Time      // zero: no bound
	ReplyTo       signals.ID     // zero: any
	MinConfidence float64
	After         uint64 // only greater sequence numbers
}

// History yields the unexpired signals of the history that f selects, in log
// order, as of the start of the iteration. Publishers are not blocked meanwhile.
// It is a bounded window, so decisions should not be based on it.
//
// Replies to a signal take time linear in their number. Otherwise the history is
// scanned, from where After and Since allow: kinds and threads are compared
// without reading the signals themselves, the other conditions read them.
func (b *Bus) History(f Filter) iter.Seq[signals.Any] {
	return func(yield func(signals.Any) bool) {
		b.mu.Lock()
		picked := b.log.Select(store.Filter(f), b.clock.Now())
		b.mu.Unlock()
		picked.Run(yield)
	}
}

// Get returns the signal with that id if it is in the history and has not
// expired.
func (b *Bus) Get(id signals.ID) (signals.Any, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, i, held := b.log.Find(id)
	if !held || s.Due[i] < b.clock.Now() {
		return nil, false
	}
	b.log.Share()
	return s.Signal[i], true
}

// Last returns the sequence number of the newest signal, or 0 before the first.
func (b *Bus) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Last()
}

// Sweep frees the room of expired signals and reports them to observers. The bus
// does so regularly by itself; expired signals are never returned or delivered,
// swept or not. Sweep takes next to no time if nothing has expired. Otherwise it
// checks each of the history's blocks of 1024 and the segments in which something
// has expired. Publishers wait for one block at most.
func (b *Bus) Sweep() {
	b.sweep()
	b.events.Show()
}
