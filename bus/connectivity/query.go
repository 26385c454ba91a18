package connectivity

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Query selects signals of one thread. All conditions must hold; a nil list
// means any, except that nil States means the live ones.
type Query struct {
	Thread     string
	Source     string    // "": any
	Messages   []Message // message classes
	Classes    []Class
	States     []State // nil: Emitted and Active
	Priorities []Priority
	Since      time.Time // only those emitted after it; zero: no bound
	Limit      int       // 0 means 50, <0 no limit
	Order      Order
}

// Order is by position in the log, never by time: signals of the same instant
// have an order too.
type Order uint8

// The orders.
const (
	Newest Order = iota // first
	Oldest              // first
)

// check refuses a query that no signal can match.
func (q *Query) check() error {
	var l signals.Limits
	if err := l.Name("thread", q.Thread); err != nil {
		return err
	}
	if q.Order > Oldest {
		return &signals.FieldError{Field: "order", Value: strconv.Itoa(int(q.Order)), Problem: "neither newest nor oldest"}
	}
	return first(
		each(q.Messages, messageNames), each(q.Classes, classNames),
		each(q.States, stateNames), each(q.Priorities, priorityNames),
	)
}

func each[E ~uint8](values []E, names signals.Enum[E]) error {
	for _, v := range values {
		if err := names.Check(v); err != nil {
			return err
		}
	}
	return nil
}

// A picker is a compiled query: sets as bits.
type picker struct {
	classes, states, priorities uint16
	since                       int64
	bounded                     bool
	limit                       int
	order                       Order
	source                      *source
}

const liveStates = 1<<Emitted | 1<<Active

func setOf[E ~uint8](values []E) (set uint16) {
	if values == nil {
		return ^uint16(0)
	}
	for _, v := range values {
		set |= 1 << v
	}
	return set
}

func (q *Query) picker() picker {
	p := picker{
		classes: setOf(q.Classes), states: setOf(q.States), priorities: setOf(q.Priorities),
		limit: q.Limit, order: q.Order, bounded: !q.Since.IsZero(),
	}
	if q.States == nil {
		p.states = liveStates
	}
	if p.bounded {
		p.since = nanoseconds(q.Since)
	}
	if p.limit == 0 {
		p.limit = 50
	}
	if messages := setOf(q.Messages); q.Messages != nil {
		for c := Class(1); int(c) <= classes; c++ {
			if messages&(1<<c.Message()) == 0 {
				p.classes &^= 1 << c
			}
		}
	}
	return p
}

// nanoseconds is UnixNano, clamped for times that do not fit.
func nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func (p *picker) match(r *record) bool {
	return p.states&(1<<r.state) != 0 && p.classes&(1<<r.group.class) != 0 &&
		p.priorities&(1<<r.priority) != 0 && (p.source == nil || p.source == r.source()) &&
		(!p.bounded || r.at > p.since)
}

// A shelf is one or more lists that together contain every match.
type shelf struct {
	records *table
	slot    slot
	lists   []*records
}

func (s *shelf) size() (n int) {
	for _, l := range s.lists {
		n += l.n
	}
	return n
}

// shelf returns the shortest shelf, so that the cost of a query depends on its
// result rather than on the size of the thread, unless it combines conditions
// that many signals meet separately but few meet together.
func (t *thread) shelf(p *picker) shelf {
	live := p.states&^liveStates == 0
	best := shelf{t.records, inThread, []*records{&t.all}}
	if live {
		best = shelf{t.records, inLive, []*records{&t.live}}
	}
	try := func(s shelf) {
		if s.size() < best.size() {
			best = s
		}
	}
	switch {
	case p.source == nil:
	case live:
		try(shelf{t.records, inSourceLive, []*records{&p.source.live}})
	default:
		try(shelf{t.records, inSource, []*records{&p.source.all}})
	}
	if p.classes != ^uint16(0) {
		try(t.classShelf(p.classes, live))
	}
	if live && p.priorities != ^uint16(0) {
		try(t.priorityShelf(p.priorities))
	}
	return best
}

func (t *thread) classShelf(set uint16, live bool) shelf {
	s := shelf{records: t.records, slot: inClass}
	if live {
		s.slot = inClassLive
	}
	for _, k := range t.classes {
		switch {
		case set&(1<<k.class) == 0:
		case live:
			s.lists = append(s.lists, &k.live)
		default:
			s.lists = append(s.lists, &k.all)
		}
	}
	return s
}

func (t *thread) priorityShelf(set uint16) shelf {
	s := shelf{records: t.records, slot: inPriority}
	for i := range t.byPriority {
		if set&(1<<(i+1)) != 0 {
			s.lists = append(s.lists, &t.byPriority[i])
		}
	}
	return s
}

func (t *thread) query(q *Query) []Signal {
	if t == nil {
		return nil
	}
	p := q.picker()
	if q.Source != "" {
		if p.source = t.sources.get(q.Source); p.source == nil {
			return nil
		}
	}
	s := t.shelf(&p)
	var found []Signal
	if p.order == Oldest {
		found = s.forward(&p)
	} else {
		found = s.backward(&p)
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// backward merges the lists from their ends. upTo tells when no earlier record
// can be recent enough, even where concurrent emissions have times out of
// order.
func (s *shelf) backward(p *picker) []Signal {
	found := s.room(p)
	var ends [classes]*record
	at := ends[:0]
	for _, l := range s.lists {
		at = append(at, s.records.at(l.last))
	}
	for len(found) != p.limit {
		best := -1
		for i, r := range at {
			if r != nil && (best < 0 || r.seq > at[best].seq) {
				best = i
			}
		}
		if best < 0 || p.bounded && at[best].upTo <= p.since {
			break
		}
		r := at[best]
		at[best] = s.records.prev(s.slot, r)
		if p.match(r) {
			found = append(found, r.signal())
		}
	}
	return found
}

// forward starts at the first possible match.
func (s *shelf) forward(p *picker) []Signal {
	found := s.room(p)
	var starts [classes]*record
	at := starts[:0]
	for _, l := range s.lists {
		at = append(at, s.start(l, p))
	}
	for len(found) != p.limit {
		best := -1
		for i, r := range at {
			if r != nil && (best < 0 || r.seq < at[best].seq) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		r := at[best]
		at[best] = s.records.next(s.slot, r)
		if p.match(r) {
			found = append(found, r.signal())
		}
	}
	return found
}

// room allocates enough for the result of a small query: growing took half the
// time.
func (s *shelf) room(p *picker) []Signal {
	n := min(s.size(), 64)
	if p.limit > 0 {
		n = min(n, p.limit)
	}
	return make([]Signal, 0, n)
}

func (s *shelf) start(l *records, p *picker) *record {
	if !p.bounded {
		return s.records.at(l.first)
	}
	r := s.records.at(l.last)
	if r == nil || r.upTo <= p.since {
		return nil
	}
	for before := s.records.prev(s.slot, r); before != nil && before.upTo > p.since; before = s.records.prev(s.slot, r) {
		r = before
	}
	return r
}

// unacknowledged returns the live critical signals, oldest first.
func (t *thread) unacknowledged() []Signal {
	if t == nil {
		return nil
	}
	var all []Signal
	for r := range t.records.oldest(&t.byPriority[Critical-1], inPriority) {
		all = append(all, r.signal())
	}
	return slices.Clip(all)
}
