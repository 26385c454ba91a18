package store

import (
	"math"
	"sort"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// forever is the Due of a signal that does not expire.
const forever = math.MaxInt64

// slack bounds the distance from the oldest entry to the newest, together with
// twice the history's size, so that an entry that never expires does not keep
// the positions of all that expired after it.
const slack = 4096

// A Log holds the signals appended. Make one with [New].
type Log struct {
	Kinds, Threads Topics

	size  int // maximum number of signals in the history
	mint  *signals.Mint
	pages map[form]*Pages

	directory directory
	floor     uint64   // position of the oldest entry in the history
	oldest    *Segment // holds the floor; nil: to be looked up
	next      uint64   // position of the next entry
	tail      *Segment // holds the newest entry, or the first segment
	held      int      // entries in the history
	last      uint64   // sequence number of the newest entry
	evictedTo uint64   // greatest sequence number that was evicted
	counts    counts

	ids     map[signals.ID]uint64 // positions of entries with foreign ids
	replies map[signals.ID]uint64 // position of the newest reply to a signal

	shared  uint64 // there may be pointers to entries before this position
	readers int    // while there are any, to all entries
	spare   *Segment
}

// counts are the numbers of entries that have left the history, by reason.
type counts struct{ Expired, Evicted uint64 }

// New returns an empty log whose history holds up to size signals. The mint
// makes the ids of signals without one.
func New(size int, mint *signals.Mint) *Log {
	l := &Log{
		Kinds: Topics{}, Threads: Topics{}, size: size, mint: mint, pages: map[form]*Pages{},
		ids: map[signals.ID]uint64{}, replies: map[signals.ID]uint64{},
	}
	l.grow()
	return l
}

// Next returns the position of the next entry.
func (l *Log) Next() uint64 { return l.next }

// Floor returns the position of the oldest entry in the history.
func (l *Log) Floor() uint64 { return l.floor }

// Held returns the number of signals in the history.
func (l *Log) Held() int { return l.held }

// Last returns the sequence number of the newest entry, 0 before the first.
func (l *Log) Last() uint64 { return l.last }

// EvictedTo returns the greatest sequence number that was evicted.
func (l *Log) EvictedTo() uint64 { return l.evictedTo }

// Counts returns the numbers of entries that have left the history.
func (l *Log) Counts() counts { return l.counts }

// End returns a cursor after the newest entry.
func (l *Log) End() Cursor { return Cursor{l.next, l.tail} }

// At returns a cursor at a position from [Log.Floor] to [Log.Next].
func (l *Log) At(pos uint64) Cursor {
	if pos == l.next {
		return l.End()
	}
	return Cursor{pos, l.directory.segment(pos)}
}

// An Entry is a signal with the log's data about it.
type Entry struct {
	Signal        signals.Any
	Pages         *Pages // for the signal's payload type
	Kind, Thread  *Topic // a hint; nil or wrong ones are looked up
	KindText      signals.Kind
	ThreadText    string
	Seq           uint64 // greater than [Log.Last]
	ID            signals.ID
	Foreign       bool // the id does not follow from Seq
	Source        string
	Time          time.Time
	TTL           time.Duration
	At, Due       int64 // Time and the last instant at which the signal is live, in nanoseconds
	ReplyTo       signals.ID
	HasRecipients bool
}

// Append appends a copy of the signal and returns its segment and index. It
// sets the entry's topics.
func (l *Log) Append(e *Entry) (*Segment, int) {
	s, pos := l.tail, l.next
	if s.Start+Slots == pos {
		s = l.grow()
	}
	i := int(pos - s.Start)
	if !e.Kind.Is(string(e.KindText)) {
		e.Kind = l.Kinds.get(string(e.KindText))
	}
	if !e.Thread.Is(e.ThreadText) {
		e.Thread = l.Threads.get(e.ThreadText)
	}
	g, slot := e.Pages.place(pos)
	signal, h := g.Put(slot, e.Signal)
	h.Seq, h.ID, h.Source, h.Thread, h.Time, h.TTL = e.Seq, e.ID, e.Source, e.Thread.Text, e.Time, e.TTL

	s.Seq[i], s.Due[i], s.Signal[i], s.page[i] = e.Seq, e.Due, signal, g
	s.slot[i] = uint8(slot)
	s.Kind[i], s.Thread[i], s.Flags[i] = e.Kind, e.Thread, 0
	if i > 0 {
		s.Flags[i] = s.Flags[i-1] & mixed
	}
	e.Kind.held++
	e.Thread.held++
	s.newest = max(s.newest, e.At)
	if e.Due < s.firstDue {
		s.firstDue = e.Due
		l.directory.expect(s)
	}
	if e.Foreign || e.HasRecipients || !e.ReplyTo.IsZero() {
		l.index(s, i, e)
	}
	l.next, l.last, l.held = pos+1, e.Seq, l.held+1
	return s, i
}

// grow adds a segment for the next entry.
func (l *Log) grow() *Segment {
	s := l.spare
	if l.spare = nil; s == nil {
		s = new(Segment)
	}
	s.Start, s.firstDue, s.newest = l.next, forever, math.MinInt64
	if l.tail != nil {
		l.tail.next, s.newest = s, l.tail.newest
	}
	l.directory.add(s)
	l.tail = s
	return s
}

// After returns the position of the first entry in the history whose sequence
// number is greater, or the end.
func (l *Log) After(seq uint64) uint64 {
	n := sort.Search(int(l.next-l.floor), func(i int) bool {
		pos := l.floor + uint64(i)
		return l.directory.segment(pos).Seq[pos%Slots] > seq
	})
	return l.floor + uint64(n)
}

// Oldest returns the sequence number of the oldest signal in the history, or that
// of the next signal if it is empty.
func (l *Log) Oldest() uint64 {
	if l.floor < l.next {
		return l.first().Seq[l.floor%Slots]
	}
	return l.last + 1
}

// Share records that there may be pointers to everything appended so far.
func (l *Log) Share() { l.shared = l.next }

// AddReader records that from now on pointers may be taken to everything
// appended.
func (l *Log) AddReader() { l.readers++ }

// RemoveReader undoes an AddReader. Everything appended so far is shared.
func (l *Log) RemoveReader() {
	l.readers--
	l.Share()
}

// Readers returns the number of readers.
func (l *Log) Readers() int { return l.readers }

// unshared reports whether there can be no pointers to entries from a position
// on.
func (l *Log) unshared(first uint64) bool { return l.readers == 0 && first >= l.shared }
