package store

import (
	"github.com/swarmbus/swarmbus/internal/forms"
	"github.com/swarmbus/swarmbus/signals"
)

// Slots is the number of entries in a segment and of signals in a page.
const Slots = forms.Slots

// A Segment is 64 consecutive entries of the log. The exported fields of an
// entry never change once it is appended.
type Segment struct {
	Start uint64 // position of the first entry

	Seq    [Slots]uint64
	Due    [Slots]int64       // the last instant at which the signal is live
	Signal [Slots]signals.Any // shared and never modified
	Kind   [Slots]*Topic      // the topic of its kind
	Thread [Slots]*Topic
	Flags  [Slots]flags

	page  [Slots]*page  // that the signal is in
	slot  [Slots]uint8  // where in the page
	reply [Slots]uint32 // distance to the previous reply to the same target; 0: none

	next   *Segment
	newest int64 // latest time of the log up to here; final when the segment is full

	gone     uint64 // expired entries that have left the history; for the writer
	firstDue int64  // earliest Due of the others, or earlier; for the writer
}

// flags are properties of an entry.
type flags uint8

const (
	// Private marks a signal with recipients.
	Private flags = 1 << iota
	// Awaited marks an entry that inline handlers have not handled. The writer
	// sets it before it appends the next entry.
	Awaited

	foreign // its id does not follow from its sequence number
	reply   // it is in the index of replies
	mixed   // an entry of the segment up to this one is private
)

// Head returns the signal's header, which must not be modified.
func (s *Segment) Head(i int) *signals.Header { return s.page[i].Head(int(s.slot[i])) }

// held returns the entries from floor up to next that are in the history.
func (s *Segment) held(floor, next uint64) uint64 {
	from, to := uint64(0), uint64(Slots)
	if floor > s.Start {
		from = min(floor-s.Start, Slots)
	}
	if next < s.Start+Slots {
		to = next - s.Start
	}
	return below(to) &^ below(from) &^ s.gone
}

// Pick returns the entries in from..to, which must not be empty, that have one
// of the kinds and one of the threads; nil means all. The entry i is the bit
// 1<<i.
func (s *Segment) Pick(kinds, threads []*Topic, from, to int) uint64 {
	picked := below(uint64(to)) &^ below(uint64(from))
	if kinds != nil {
		picked &= pick(&s.Kind, kinds, from, to)
	}
	if threads != nil {
		picked &= pick(&s.Thread, threads, from, to)
	}
	return picked
}

// pick has no unpredictable branches in its inner loop.
func pick(all *[Slots]*Topic, wanted []*Topic, from, to int) (picked uint64) {
	for _, t := range wanted {
		for i, is := range all[from:to] {
			var hit uint64
			if is == t {
				hit = 1
			}
			picked |= hit << ((from + i) % Slots)
		}
	}
	return picked
}

// Private returns the entries in from..to that have recipients.
func (s *Segment) Private(from, to int) (private uint64) {
	if s.Flags[to-1]&mixed == 0 {
		return 0
	}
	for i := from; i < to; i++ {
		private |= uint64(s.Flags[i]&Private) << i
	}
	return private
}

// below returns the set of the first n entries.
func below(n uint64) uint64 {
	if n >= Slots {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// A Cursor is a position in the log. It points to the segment there and so
// keeps that and all later segments alive, so a reader finds the entries that
// it has not read without help of the writer. The zero Cursor points nowhere.
type Cursor struct {
	Pos uint64 // of the next entry to read
	seg *Segment
}

// Span returns the entries from..to of the segment at the cursor that are
// before limit, which is at most [Log.Next]; from == to if there are none.
func (c *Cursor) Span(limit uint64) (s *Segment, from, to int) {
	if c.Pos >= limit {
		return c.seg, 0, 0
	}
	if c.Pos == c.seg.Start+Slots {
		c.seg = c.seg.next
	}
	return c.seg, int(c.Pos - c.seg.Start), int(min(limit-c.seg.Start, Slots))
}

// Clear releases the log; the cursor then has no entries.
func (c *Cursor) Clear() { *c = Cursor{Pos: ^uint64(0)} }
