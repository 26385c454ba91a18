package connectivity

import "iter"

// A records is an intrusive list of records in log order, so that a record is
// removed in constant time.
type records struct {
	first, last ref
	n           int
}

// A slot selects the links of a record for one sort of list.
type slot uint8

const (
	inThread     slot = iota // all of the thread
	inSource                 // all of the source
	inClass                  // all of the class
	inToAll                  // those of the thread for the audience all
	inEnded                  // ended records, in the order in which they ended
	inLive                   // the live ones of the thread; the slots below hold live ones too
	inSourceLive             // of the source
	inClassLive              // of the class
	inPriority               // of the priority
	inGroup                  // of source, class, audience and urgency
	inSpecial                // grades of the source, or alarms with the same summary
	inExpiry                 // those that expire at the same step
	slots
)

type neighbours struct{ prev, next ref }

// prev returns the record before r in its list of that sort, or nil.
func (t *table) prev(k slot, r *record) *record { return t.at(r.links[k].prev) }

// next returns the record after r, or nil.
func (t *table) next(k slot, r *record) *record { return t.at(r.links[k].next) }

// insert appends r.
func (t *table) insert(l *records, k slot, r *record) {
	r.links[k].prev = l.last
	if l.last == 0 {
		l.first = r.self
	} else {
		t.at(l.last).links[k].next = r.self
	}
	l.last = r.self
	l.n++
}

func (t *table) remove(l *records, k slot, r *record) {
	at := &r.links[k]
	if at.prev == 0 {
		l.first = at.next
	} else {
		t.at(at.prev).links[k].next = at.next
	}
	if at.next == 0 {
		l.last = at.prev
	} else {
		t.at(at.next).links[k].prev = at.prev
	}
	*at = neighbours{}
	l.n--
}

func (t *table) oldest(l *records, k slot) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for r := t.at(l.first); r != nil && yield(r); r = t.next(k, r) {
		}
	}
}
