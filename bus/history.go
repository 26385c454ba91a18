package bus

import (
	"iter"
	"math/bits"
	"slices"
	"sort"
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

// History yields what is kept and not expired, in log order: the signals that
// f picks of one consistent moment, the start of the iteration. Publishers go on
// meanwhile. Nothing that decides should read it: it is a bounded window.
//
// A reply's target, a source or a thread with few signals costs what it has.
// Otherwise the history is scanned, 64 signals at a time by kind and
// confidence, and from the first that Since allows.
func (b *Bus) History(f Filter) iter.Seq[signals.Any] {
	return func(yield func(signals.Any) bool) {
		q := query{Filter: f}
		b.mu.Lock()
		b.planLocked(&q)
		b.borrowers++
		b.mu.Unlock()
		defer func() {
			b.mu.Lock()
			b.borrowers--
			b.mu.Unlock()
		}()
		q.run(yield)
	}
}

// A query is a filter on one snapshot of the log: the blocks there were, and
// the positions of which it may look at. It needs no lock: entries do not
// change, and what was swept was due.
type query struct {
	Filter
	log        log     // a copy; of it the directory, and the bounds of positions
	now        int64   // what is due before that has expired
	ids        []uint8 // of the kinds
	links      links
	last       uint64 // position of the newest in the chain, counted from 1
	since      int64
	none       bool
	plain      bool  // the bytes of an entry say all but whether it expired
	confidence uint8 // what may have it
	certain    uint8 // what has it
}

// links says which chain to follow.
type links uint8

const (
	noLinks links = iota
	replyLinks
	sourceLinks
	threadLinks
)

// planLocked takes the snapshot and chooses how to go through it.
func (b *Bus) planLocked(q *query) {
	q.log, q.now = b.log, b.clock.now()
	q.since = nanos(q.Since)
	if q.After > 0 && q.log.next > q.log.floor {
		q.log.floor = q.log.after(q.After)
	}
	for _, k := range q.Kinds {
		if l := b.lanes[k]; l != nil {
			q.ids = append(q.ids, l.id)
		}
	}
	q.none = q.Kinds != nil && len(q.ids) == 0
	if q.MinConfidence > 0 && q.MinConfidence <= 1 {
		q.confidence = hundredths(q.MinConfidence)
		q.certain = q.confidence
		if q.MinConfidence > edges[q.certain] {
			q.certain++
		}
	}
	q.plain = q.onlyBytes() && q.MinConfidence <= 1 && !slices.Contains(q.ids, others)
	b.chooseLinksLocked(q)
}

// onlyBytes reports whether the filter asks for nothing but kinds and
// confidence.
func (f *Filter) onlyBytes() bool {
	return f.Threads == nil && f.Source == "" && f.ReplyTo.IsZero() && f.Since.IsZero() && f.Until.IsZero()
}

// chooseLinksLocked follows a chain where it is short: a step through one
// costs about as much as looking at eight entries in a row.
func (b *Bus) chooseLinksLocked(q *query) {
	if !q.ReplyTo.IsZero() {
		q.links, q.last = replyLinks, b.replies[q.ReplyTo]
		return
	}
	least := q.log.held / 8
	if q.Source != "" {
		least = q.follow(sourceLinks, b.sources.byText[q.Source], least)
	}
	if len(q.Threads) == 1 {
		q.follow(threadLinks, b.threads.byText[q.Threads[0]], least)
	}
}

func (q *query) follow(l links, n *name, least int) int {
	switch {
	case n == nil:
		q.none = true
	case n.held <= least:
		q.links, q.last = l, n.last
		return n.held
	}
	return least
}

func (q *query) run(yield func(signals.Any) bool) {
	switch {
	case q.none || q.log.next == q.log.floor:
	case q.links != noLinks:
		q.runLinks(yield)
	default:
		q.scan(yield)
	}
}

// runLinks collects the chain, newest first, then goes through it in order.
func (q *query) runLinks(yield func(signals.Any) bool) {
	var positions []uint64
	for last := q.last; last > q.log.floor; {
		pos := last - 1
		positions = append(positions, pos)
		back := uint64(q.log.chunk(pos).back(q.links)[pos%slots])
		if back == 0 || back > pos {
			break
		}
		last -= back
	}
	for _, pos := range slices.Backward(positions) {
		c, i := q.log.chunk(pos), int(pos%slots)
		if q.match(c, i) && !yield(c.signal(i)) {
			return
		}
	}
}

func (c *chunk) back(l links) *[slots]uint32 {
	switch l {
	case replyLinks:
		return &c.byReply
	case sourceLinks:
		return &c.bySource
	default:
		return &c.byThread
	}
}

// scan goes through the chunks from the first that may have something.
func (q *query) scan(yield func(signals.Any) bool) {
	h := hits{query: q, yield: yield}
	for pos := q.begin(); pos < q.log.next; {
		start := pos &^ (slots - 1)
		end := min(start+slots, q.log.next)
		if m, sure := q.candidates(pos, int(pos-start), int(end-start)); m != 0 && !h.add(q.log.chunk(pos), m, sure) {
			return
		}
		pos = end
	}
	h.flush()
}

// hits are entries that were found and are yielded together: each is in
// memory that was not read for long, and the processor waits for many such
// places at once (of a million signals, a hundredth picked: 570 ns for each
// alone, 40 together).
type hits struct {
	query *query
	yield func(signals.Any) bool
	n     int
	all   [64]hit
}

// few is how many hits of one chunk are worth waiting for others.
const few = 8

type hit struct {
	segment *segment
	slot    uint8
}

// add adds the candidates of a chunk, of which some are sure to match. It
// returns whether the loop goes on.
func (h *hits) add(c *chunk, m, sure uint64) bool {
	q := h.query
	if !q.Until.IsZero() && c.start+slots <= q.log.next && c.oldest > nanos(q.Until) {
		return true
	}
	if bits.OnesCount64(m) > few {
		return h.flush() && q.each(c, m, sure, h.yield)
	}
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if sure>>i&1 != 0 || q.match(c, i) {
			h.all[h.n] = hit{c.segment[i], c.slot[i]}
			h.n++
		}
	}
	return h.n <= len(h.all)-few || h.flush()
}

// each yields what matches of a chunk that has much of it.
func (q *query) each(c *chunk, m, sure uint64, yield func(signals.Any) bool) bool {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if (sure>>i&1 != 0 || q.match(c, i)) && !yield(c.signal(i)) {
			return false
		}
	}
	return true
}

func (h *hits) flush() bool {
	all := h.all[:h.n]
	h.n = 0
	for _, hit := range all {
		hit.segment.keep()
	}
	for _, hit := range all {
		if !h.yield(hit.segment.At(int(hit.slot))) {
			return false
		}
	}
	return true
}

// begin skips the chunks all of whose times, and those before, are too early.
func (q *query) begin() uint64 {
	if q.Since.IsZero() {
		return q.log.floor
	}
	first := q.log.floor >> slotBits
	whole := int(q.log.next>>slotBits - first) // chunks that are full
	n := sort.Search(max(whole, 0), func(i int) bool {
		return q.log.chunk((first+uint64(i))<<slotBits).newest >= q.since
	})
	return max(q.log.floor, (first+uint64(n))<<slotBits)
}

// candidates picks the entries from..to of a chunk that may match. Of a
// chunk that is being filled it reads nothing but entries before to.
// Those that are sure match without a look at the signal: a look costs two or
// three misses of the cache, 100 ns each.
func (q *query) candidates(pos uint64, from, to int) (m, sure uint64) {
	m = below(to) &^ below(from)
	if to < slots {
		return m, 0
	}
	c := &q.log.block(pos).bytes[pos>>slotBits%slots]
	if q.plain && c.dies >= q.now {
		sure = full
	}
	if q.MinConfidence > 0 {
		may := atLeast(&c.confidence, q.confidence)
		m &= may
		if q.certain > q.confidence && may != 0 {
			may = atLeast(&c.confidence, q.certain)
		}
		sure &= may
	}
	if q.Kinds != nil {
		kinds := uint64(0)
		for _, id := range q.ids {
			kinds |= equalTo(&c.lane, id)
		}
		m &= kinds
	}
	return m, sure
}

func (q *query) match(c *chunk, i int) bool {
	if c.due[i] < q.now {
		return false // and perhaps swept: its page may be gone
	}
	if q.Kinds != nil && !slices.Contains(q.Kinds, c.segment[i].shelf.lane.kind) {
		return false
	}
	if q.MinConfidence <= 0 && q.onlyBytes() {
		return true
	}
	h := c.head(i)
	return h.Confidence >= q.MinConfidence &&
		(q.Threads == nil || slices.Contains(q.Threads, h.Thread)) &&
		(q.Source == "" || q.Source == h.Source) &&
		(q.Since.IsZero() || !h.Time.Before(q.Since)) &&
		(q.Until.IsZero() || !h.Time.After(q.Until)) &&
		(q.ReplyTo.IsZero() || q.ReplyTo == h.ReplyTo)
}

// Get returns the signal with that id if it is kept and not expired.
func (b *Bus) Get(id signals.ID) (signals.Any, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, i, held := b.lookupLocked(id)
	if !held || c.due[i] < b.clock.now() {
		return nil, false
	}
	return c.signal(i), true
}

// Last returns the sequence number of the newest signal, 0 before the first.
func (b *Bus) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// oldestLocked returns the sequence number of the oldest signal that is kept,
// or of the next one.
func (b *Bus) oldestLocked() uint64 {
	if b.log.floor == b.log.next {
		return b.last + 1
	}
	return b.log.chunk(b.log.floor).seq[b.log.floor%slots]
}
