package backlog

import (
	"math/bits"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// A Selector says which entries of the log a reader wants.
type Selector struct {
	Kinds, Threads []*store.Topic                  // nil: all
	Addressed      func(r signals.Recipients) bool // whether a signal for these is for the reader

	// Entries up to the sequence number After, and those before the position Born
	// that were due before BornAt, are not wanted.
	After  uint64
	Born   uint64
	BornAt int64
}

// pick returns the wanted ones of the entries from..to, of which there is at least
// one. It reads signals only if they have recipients.
func (w *Selector) pick(seg *store.Segment, from, to int) uint64 {
	wanted := seg.Pick(w.Kinds, w.Threads, from, to)
	for private := wanted & seg.Private(from, to); private != 0; private &= private - 1 {
		if i := bits.TrailingZeros64(private); !w.Addressed(seg.Head(i).Recipients) {
			wanted &^= 1 << i
		}
	}
	for ; from < to && (seg.Start+uint64(from) < w.Born || seg.Seq[from] <= w.After); from++ {
		if seg.Seq[from] <= w.After || seg.Due[from] < w.BornAt {
			wanted &^= 1 << from
		}
	}
	return wanted
}
