package bus

import (
	"sync/atomic"

	"github.com/swarmbus/swarmbus/signals"
)

// A segment is a page of signals with what the bus knows of it.
type segment struct {
	signals.Page
	shelf *shelf
	kept  atomic.Bool // somebody outside may hold a pointer into it

	// Protected by bus.mu.
	_    apart
	live int    // slots whose signals are in the history
	last uint64 // position of the newest signal
}

// share returns the signal in a slot for somebody outside.
func (s *segment) share(slot uint8) signals.Any {
	s.keep()
	return s.At(int(slot))
}

func (s *segment) keep() {
	if !s.kept.Load() { // a load costs a tenth of a store
		s.kept.Store(true)
	}
}

// A chunk is 64 consecutive entries of the log, field by field, so that
// filters read only what they ask about. An entry never changes once it is
// in the log; the fields of the whole chunk do, under the bus's lock, and a
// reader without it trusts them only where it says so.
type chunk struct {
	start uint64 // position of the first entry
	next  *chunk // may be followed by who knows that an entry is there
	*bytes

	seq     [slots]uint64
	due     [slots]int64    // last moment of life
	segment [slots]*segment // where the signal is
	source  [slots]uint32   // ids of names
	thread  [slots]uint32
	// How many entries further back the one before it of the same source,
	// thread and target of a reply is; 0: none.
	bySource, byThread, byReply [slots]uint32

	flags [slots]uint8

	oldest, newest int64  // times: least in the chunk, greatest of the log up to its end; fixed when full
	gone           uint64 // entries that left the history; under the lock
	firstDue       int64  // least due of the others, or earlier; under the lock
}

// bytes are the fields of a chunk's entries that scans ask about first. Those
// of 64 chunks lie side by side, which the processor reads ahead: looking for
// them in each chunk took a million signals 2 ms more.
type bytes struct {
	lane       [slots]uint8 // its id
	confidence [slots]uint8 // in hundredths, rounded down
	slot       [slots]uint8 // in the segment
	dies       int64        // when the first of the chunk is due; fixed when it is full
}

// Flags of an entry.
const (
	foreign uint8 = 1 << iota // its id did not come from its sequence number
	reply                     // it is in the index of replies
	claim                     // it is a proposal, which holds its id
	private                   // it has recipients
	awaited                   // handlers wait for it

	indexed = foreign | reply | claim // something leads to it
)

func (c *chunk) signal(i int) signals.Any   { return c.segment[i].share(c.slot[i]) }
func (c *chunk) peek(i int) signals.Any     { return c.segment[i].At(int(c.slot[i])) }
func (c *chunk) head(i int) *signals.Header { return c.segment[i].Head(int(c.slot[i])) }

// edges are the hundredths as they are written: who asks for 0.9 means the
// float64 that is nearest to it.
var edges = func() (e [102]float64) {
	for i := range e {
		e[i] = float64(i) / 100
	}
	return e
}()

// hundredths is the number of the last edge that is not above x, in [0,1].
func hundredths(x float64) uint8 {
	i := uint8(x * 100) // one too few or too many where that rounds
	if x >= edges[i+1] {
		return i + 1
	}
	if x < edges[i] {
		return i - 1
	}
	return i
}
