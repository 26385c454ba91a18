package connectivity

import "iter"

// A records holds records in the order of the log, linked through the records
// themselves, so that leaving costs nothing however many they are.
type records struct {
	first, last ref
	n           int
}

// A slot is the place in a record that links it into lists of one sort.
type slot uint8

const (
	inThread     slot = iota // all of the thread
	inSource                 // all of the source
	inClass                  // all of the class
	inToAll                  // those of the thread that are for all
	inEnded                  // those that ended, in the order of their ends
	inLive                   // the live ones of the thread; those below are live too
	inSourceLive             // of the source
	inClassLive              // of the class
	inPriority               // of the priority
	inGroup                  // of source, class, audience and urgency
	inSpecial                // grades of the source, or alarms with the same summary
	inExpiry                 // that expire at the same step
	slots
)

type neighbours struct{ prev, next ref }

// prev returns the record before r in its list of that sort, nil if none.
func (t *table) prev(k slot, r *record) *record { return t.at(r.links[k].prev) }

// next returns the one after.
func (t *table) next(k slot, r *record) *record { return t.at(r.links[k].next) }

// insert puts r at the end.
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
