// Package backlog is what one reader of a log has not read: a cursor in the log,
// and signals kept from before it ([Backlog]); and who is woken next of the readers
// that wait ([Queue]).
package backlog

import (
	"math/bits"
	"slices"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// Slack is the number of entries that a backlog keeps alive although its reader
// wants none of them, beside twice the number that it wants.
const Slack = 4096

// A Backlog holds the unread signals of one reader, in log order: first those at
// the front, then the wanted entries from the cursor on. One caller at a time may
// use it. Make one with [New]. A limit is at most [store.Log.Next].
type Backlog struct {
	want   Selector
	front  []signals.Any // given back, or set aside
	cursor store.Cursor
	passed uint64 // wanted entries before the cursor
}

// New returns the backlog of a reader that begins at c.
func New(want Selector, c store.Cursor) Backlog { return Backlog{want: want, cursor: c} }

// Reads reports whether there may be something to read before limit.
func (b *Backlog) Reads(limit uint64) bool { return len(b.front) > 0 || b.cursor.Pos < limit }

// Kept returns the number of signals that do not depend on the log.
func (b *Backlog) Kept() int { return len(b.front) }

// Count returns the number of wanted entries before limit, read or not, and how many
// of them are unread. It looks at each entry after the cursor.
func (b *Backlog) Count(limit uint64) (intended, unread uint64) {
	intended, unread = b.passed, uint64(len(b.front))
	for c := b.cursor; ; {
		seg, from, to := c.Span(limit)
		if from == to {
			return intended, unread
		}
		n := uint64(bits.OnesCount64(b.want.pick(seg, from, to)))
		intended, unread, c.Pos = intended+n, unread+n, c.Pos+uint64(to-from)
	}
}

// Take moves signals before limit into dst, as many as there are and fit, and
// returns their number. It calls expired for those that were due before now.
func (b *Backlog) Take(dst []signals.Any, limit uint64, now int64, expired func(signals.Any)) (n int) {
	keep := func(s signals.Any, due int64) {
		if due < now {
			expired(s)
			return
		}
		dst[n] = s
		n++
	}
	for n < len(dst) && len(b.front) > 0 {
		s := b.front[0]
		b.front[0], b.front = nil, b.front[1:]
		h := s.Head()
		keep(s, store.Deadline(h.Time.UnixNano(), h.TTL))
	}
	for n < len(dst) {
		seg, from, to := b.cursor.Span(limit)
		if from == to {
			break
		}
		to = min(to, from+len(dst)-n)
		for wanted := b.pass(seg, from, to); wanted != 0; wanted &= wanted - 1 {
			i := bits.TrailingZeros64(wanted) % store.Slots
			keep(seg.Signal[i], seg.Due[i])
		}
	}
	return n
}

// pass moves the cursor over entries of its segment and returns the wanted ones.
func (b *Backlog) pass(seg *store.Segment, from, to int) (wanted uint64) {
	wanted = b.want.pick(seg, from, to)
	b.passed += uint64(bits.OnesCount64(wanted))
	b.cursor.Pos += uint64(to - from)
	return wanted
}

// Skip calls f for the wanted entries before limit and moves the cursor there.
func (b *Backlog) Skip(limit uint64, f func(signals.Any)) {
	for {
		seg, from, to := b.cursor.Span(limit)
		if from == to {
			return
		}
		for wanted := b.pass(seg, from, to); wanted != 0; wanted &= wanted - 1 {
			f(seg.Signal[bits.TrailingZeros64(wanted)])
		}
	}
}

// SetAside copies the unread signals before limit out of the log, so that they
// keep nothing else alive.
func (b *Backlog) SetAside(limit uint64) {
	b.Skip(limit, func(s signals.Any) { b.front = append(b.front, s) })
}

// Compact sets the unread signals aside if they are few among the entries before
// end, of which they keep all alive.
func (b *Backlog) Compact(unread, end uint64) {
	if end-b.cursor.Pos > 2*unread+Slack {
		b.SetAside(end)
	}
}

// Jump moves the cursor of a reader that wants nothing before c.
func (b *Backlog) Jump(c store.Cursor) { b.cursor = c }

// GiveBack puts signals that were taken before all others.
func (b *Backlog) GiveBack(taken []signals.Any) { b.front = slices.Concat(taken, b.front) }

// Drop removes the signals at the front and calls f for each.
func (b *Backlog) Drop(f func(signals.Any)) {
	for _, s := range b.front {
		f(s)
	}
	b.front = nil
}

// Leave releases the log: only the signals at the front are left.
func (b *Backlog) Leave() { b.cursor.Clear() }
