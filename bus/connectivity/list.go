package connectivity

import "iter"

// A list holds records in the order of the log, linked through the records
// themselves, so that leaving costs nothing however long it is.
type list struct {
	first, last ref
	n           int
}

// A slot is the place in a record that links it into lists of one sort.
type slot uint8

const (
	inThread     slot = iota // all of the thread
	inSource                 // all of the source
	inClass                  // all of the class
	inEnded                  // those that ended, in the order of their ends
	inLive                   // the live ones of the thread; those below are live too
	inSourceLive             // of the source
	inClassLive              // of the class
	inPriority               // of the priority
	inGroup                  // of source, class, audience and priority
	inSpecial                // grades of the source, or alarms with the same summary
	slots
)

type link struct{ prev, next ref }

// prev returns the record before r in its list of that sort, nil if none.
func (t *table) prev(k slot, r *record) *record { return t.at(r.links[k].prev) }

// next returns the one after.
func (t *table) next(k slot, r *record) *record { return t.at(r.links[k].next) }

// insert looks for the place from the end. Only signals that were on their way
// to the log at the same time can arrive in another order, so it is close.
func (t *table) insert(l *list, k slot, r *record) {
	after := t.at(l.last)
	for after != nil && after.place(k) > r.place(k) {
		after = t.prev(k, after)
	}
	at := &r.links[k]
	if after == nil {
		at.prev, at.next, l.first = 0, l.first, r.self
	} else {
		at.prev, at.next, after.links[k].next = after.self, after.links[k].next, r.self
	}
	if at.next == 0 {
		l.last = r.self
	} else {
		t.at(at.next).links[k].prev = r.self
	}
	l.n++
}

func (t *table) remove(l *list, k slot, r *record) {
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
	*at = link{}
	l.n--
}

func (t *table) oldest(l *list, k slot) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for r := t.at(l.first); r != nil && yield(r); r = t.next(k, r) {
		}
	}
}
