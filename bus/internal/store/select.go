package store

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Filter selects entries. All conditions must hold, bounds are inclusive, and
// the zero value selects everything.
type Filter struct {
	Kinds         []signals.Kind // nil: all
	Threads       []string       // nil: all
	Source        string         // "": any
	Since, Until  time.Time      // zero: no bound
	ReplyTo       signals.ID     // zero: any
	MinConfidence float64
	After         uint64 // only greater sequence numbers
}

// A Selection is the entries that a filter selects at one moment. Once made, it
// may be read concurrently with the writer.
type Selection struct {
	filter      Filter
	directory   directory
	floor, next uint64
	now         int64 // entries due before that have expired
	kinds       []*Topic
	threads     []*Topic
	replies     []uint64 // positions of the replies, newest first, if requested
	heads       bool     // the filter needs the headers
}

// Select makes a selection and shares what it may return. Its cost does not
// depend on the history, except for the number of replies if those are
// requested.
func (l *Log) Select(f Filter, now int64) Selection {
	s := Selection{filter: f, directory: l.directory, floor: l.floor, next: l.next, now: now}
	s.kinds = topics(l.Kinds, f.Kinds)
	s.threads = topics(l.Threads, f.Threads)
	s.heads = f.Source != "" || !f.Since.IsZero() || !f.Until.IsZero() || !f.ReplyTo.IsZero() || f.MinConfidence != 0
	if f.After > 0 {
		s.floor = l.After(f.After)
	}
	if !f.ReplyTo.IsZero() {
		s.replies = l.repliesTo(f.ReplyTo, s.floor)
	} else if !f.Since.IsZero() {
		s.floor = s.since(nanoseconds(f.Since))
	}
	l.Share()
	return s
}

// topics returns the topics with these texts; nil if all are requested.
func topics[T ~string](ts Topics, texts []T) []*Topic {
	if texts == nil {
		return nil
	}
	found := make([]*Topic, 0, len(texts))
	for _, text := range texts {
		if t := ts[string(text)]; t != nil {
			found = append(found, t)
		}
	}
	return found
}

// repliesTo follows the chain of replies, newest first.
func (l *Log) repliesTo(id signals.ID, floor uint64) (positions []uint64) {
	pos, ok := l.replies[id]
	for ok && pos >= floor {
		positions = append(positions, pos)
		back := uint64(l.directory.segment(pos).reply[pos%Slots])
		pos, ok = pos-back, back > 0
	}
	return positions
}

// since skips segments whose times, and all earlier ones, are before t. The
// newest segment may be written concurrently, so it is not examined.
func (s *Selection) since(t int64) uint64 {
	first := s.floor / Slots
	full := s.next/Slots - first
	n := sort.Search(int(full), func(i int) bool {
		return s.directory.segment((first+uint64(i))*Slots).newest >= t
	})
	return max(s.floor, (first+uint64(n))*Slots)
}

// Run yields the entries in log order.
func (s *Selection) Run(yield func(signals.Any) bool) {
	switch {
	case s.floor >= s.next || s.filter.Kinds != nil && len(s.kinds) == 0 || s.filter.Threads != nil && len(s.threads) == 0:
	case !s.filter.ReplyTo.IsZero():
		s.runReplies(yield)
	default:
		s.forward(yield)
	}
}

func (s *Selection) runReplies(yield func(signals.Any) bool) {
	for _, pos := range slices.Backward(s.replies) {
		g, i := s.directory.segment(pos), int(pos%Slots)
		if g.Pick(s.kinds, s.threads, i, i+1) != 0 && s.picks(g, i) && !yield(g.Signal[i]) {
			return
		}
	}
}

func (s *Selection) forward(yield func(signals.Any) bool) {
	for pos := s.floor; pos < s.next; {
		g := s.directory.segment(pos)
		from, to := int(pos-g.Start), int(min(s.next-g.Start, Slots))
		for picked := g.Pick(s.kinds, s.threads, from, to); picked != 0; picked &= picked - 1 {
			i := bits.TrailingZeros64(picked) % Slots
			if s.picks(g, i) && !yield(g.Signal[i]) {
				return
			}
		}
		pos = g.Start + Slots
	}
}

// picks checks the remaining conditions for an entry of the right kind and
// thread. It reads the header last, because that is probably not in the cache
// and a miss takes 100 ns.
func (s *Selection) picks(g *Segment, i int) bool {
	return g.Due[i] >= s.now && (!s.heads || s.filter.head(g.Head(i)))
}

func (f *Filter) head(h *signals.Header) bool {
	return h.Confidence >= f.MinConfidence &&
		(f.Source == "" || f.Source == h.Source) &&
		(f.Since.IsZero() || !h.Time.Before(f.Since)) &&
		(f.Until.IsZero() || !h.Time.After(f.Until)) &&
		(f.ReplyTo.IsZero() || f.ReplyTo == h.ReplyTo)
}

var earliest, latest = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// nanoseconds is t.UnixNano, clamped if it does not fit.
func nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return math.MinInt64
	case t.After(latest):
		return math.MaxInt64
	}
	return t.UnixNano()
}
