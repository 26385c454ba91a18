package coordination

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Query selects signals of a thread. All conditions must hold; a nil list
// means any, except that nil States means the live ones.
type Query struct {
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

// check refuses values that are none of their types.
func (q *Query) check() error {
	if q.Order > Oldest {
		return &signals.FieldError{Field: "order", Value: strconv.Itoa(int(q.Order)), Problem: "neither newest nor oldest"}
	}
	return cmp.Or(each(q.Messages), each(q.Classes), each(q.States), each(q.Priorities))
}

func each[E interface{ Check() error }](values []E) error {
	for _, v := range values {
		if err := v.Check(); err != nil {
			return err
		}
	}
	return nil
}

func (q *Query) match(r *Record) bool {
	return (q.States == nil || slices.Contains(q.States, r.State)) &&
		(q.Classes == nil || slices.Contains(q.Classes, r.Class)) &&
		(q.Messages == nil || slices.Contains(q.Messages, r.Class.Message())) &&
		(q.Priorities == nil || slices.Contains(q.Priorities, r.Priority)) &&
		(q.Since.IsZero() || r.EmittedAt.After(q.Since))
}

// from returns the list with all signals that the query may select.
func (q *Query) from(t *Thread) *list {
	live := !slices.ContainsFunc(q.States, State.Terminal)
	src := t.lists.sources[q.Source]
	switch {
	case q.Source == "" && live:
		return &t.lists.live
	case q.Source == "":
		return &t.lists.all
	case src == nil:
		return new(list)
	case live:
		return &src.live
	}
	return &src.all
}

// Query returns the signals that q selects: at most 50 live ones, newest first, if q is
// zero. It scans the live signals of the thread or the source, or all of them, until it has
// found enough or all earlier ones are too old. The error is a
// [*signals.FieldError] for a value that is none of its type, such as an unknown class.
func (t *Thread) Query(q Query) (found []Signal, err error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	l, most := q.from(t), q.Limit
	most = cmp.Or(most, 50)
	if most > 0 { // growing takes half the time
		found = make([]Signal, 0, min(l.size(), most, 64))
	}
	for r := range q.in(l) {
		if len(found) == most {
			break
		}
		if q.match(r) {
			found = append(found, r.Snapshot())
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found, nil
}

// in yields the records in the query's order, from or up to its bound in time.
func (q *Query) in(l *list) iter.Seq[*Record] {
	if q.Order == Newest {
		return func(yield func(*Record) bool) {
			for r := range l.newest() {
				if !r.upTo.After(q.Since) && !q.Since.IsZero() || !yield(r) {
					return
				}
			}
		}
	}
	from := 0
	if !q.Since.IsZero() {
		from, _ = slices.BinarySearchFunc(l.all, q.Since, func(r *Record, since time.Time) int {
			if r.upTo.After(since) {
				return 1
			}
			return -1
		})
	}
	rest := list{all: l.all[from:], ended: l.ended}
	return rest.oldest()
}
