package connectivity

import "iter"

// A list holds records in the order of the log, linked through the records
// themselves, so that leaving costs nothing however long it is.
type list struct {
	first, last *record
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

type link struct{ prev, next *record }

// insert looks for the place from the end. Only signals that were on their way
// to the log at the same time can arrive in another order, so it is close.
func (l *list) insert(k slot, r *record) {
	after := l.last
	for after != nil && after.place(k) > r.place(k) {
		after = after.links[k].prev
	}
	at := &r.links[k]
	at.prev = after
	if after == nil {
		at.next, l.first = l.first, r
	} else {
		at.next, after.links[k].next = after.links[k].next, r
	}
	if at.next == nil {
		l.last = r
	} else {
		at.next.links[k].prev = r
	}
	l.n++
}

func (l *list) remove(k slot, r *record) {
	at := &r.links[k]
	if at.prev == nil {
		l.first = at.next
	} else {
		at.prev.links[k].next = at.next
	}
	if at.next == nil {
		l.last = at.prev
	} else {
		at.next.links[k].prev = at.prev
	}
	*at = link{}
	l.n--
}

func (l *list) oldest(k slot) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for r := l.first; r != nil && yield(r); r = r.links[k].next {
		}
	}
}
