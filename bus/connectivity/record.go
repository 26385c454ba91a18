package connectivity

import (
	"iter"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A record is a thread's state of one signal.
type record struct {
	coordination.Signal // without its recipients, in its current state
	to                  signals.Recipients
	members             *members // the components registered when it was emitted, for a signal for all
	owed                duty     // its own, or the one taken over
	source              *source
	group               *list     // the signals that suppression treats as the same
	alarm               *list     // those of them with the same summary, if it is an alarm
	upTo                time.Time // the greatest time in the thread up to here
	forgotten           bool
	notified            bool // a transition has notified its recipients of the end
}

// A source holds the signals of one source in a thread.
type source struct {
	all, live, grades list // grades: live ones
	open              int  // number of live ones, without handoffs
}

// A duty is the obligation to answer a critical signal: to whom it was addressed.
type duty struct {
	to      signals.Recipients
	members *members // those registered then, if it was for all
}

// has reports whether a component is one of those who have the duty.
func (d duty) has(id string) bool {
	if d.to.Everyone() {
		return d.members.has(id)
	}
	return d.to.Include(id)
}

// takenOver returns the duty that is passed on if a source replaces a critical
// signal, or nil. A signal's own source cannot avoid an answer by an update to
// other components: the duty stays with the old recipients.
func (r *record) takenOver(source string) *duty {
	if r == nil || r.Priority != coordination.Critical || r.Source != source {
		return nil
	}
	return &r.owed
}

func (r *record) live() bool { return !r.State.Terminal() }

// snapshot returns a copy of the signal.
func (r *record) snapshot() coordination.Signal {
	s := r.Signal
	s.Recipients = names(r.to)
	return s
}

// grades reports whether the signal says how stable its source's output is.
func (r *record) grades() bool { return r.Class.Message() == coordination.AboutConfidence }

// weak reports whether the signal says that the output is unreliable.
func (r *record) weak() bool {
	return r.Class == coordination.ConfidenceLow || r.Class == coordination.ConfidenceBlocker
}

// inForce reports whether a grade is the newest live one of its source.
func (r *record) inForce() bool { return r.source.grades.last() == r }

// below reports whether the grade, or 0 if there is none, is below a value.
func (r *record) below(value float64) bool {
	x, _ := r.Confidence.Get()
	return x < value
}

func (r *record) urgency() int { return urgency(r.Class, r.Priority, r.Confidence) }

// obstructs reports whether a live signal keeps its thread from converging, whatever
// the grades are.
func (r *record) obstructs() bool {
	return r.Class == coordination.ConflictActive || r.Class.Message() == coordination.AboutEscalation || r.Priority == coordination.Critical
}

// alarms reports whether signals of this class and priority from one source are
// distinguished by their summaries.
func alarms(c coordination.Class, p coordination.Priority) bool {
	return c.Message() == coordination.AboutEscalation && p >= coordination.High
}

// A list holds records in log order: the live ones, or all that are not forgotten. Those
// that no longer belong to it are skipped, and removed once they are half of it.
type list struct {
	all   []*record
	dead  int
	ended bool // ended records belong to it, too
}

func (l *list) add(r *record) { l.all = append(l.all, r) }

func (l *list) has(r *record) bool { return r.live() || l.ended && !r.forgotten }

// drop is called for each record that no longer belongs to the list.
func (l *list) drop() {
	l.dead++
	for n := len(l.all); n > 0 && !l.has(l.all[n-1]); n-- { // the last one always belongs
		l.all[n-1], l.all, l.dead = nil, l.all[:n-1], l.dead-1
	}
	if l.dead > len(l.all)/2 {
		l.compact()
	}
}

func (l *list) compact() {
	kept := make([]*record, 0, len(l.all)-l.dead)
	for _, r := range l.all {
		if l.has(r) {
			kept = append(kept, r)
		}
	}
	l.all, l.dead = kept, 0
}

func (l *list) size() int { return len(l.all) - l.dead }

// last returns the newest record, or nil.
func (l *list) last() *record {
	if len(l.all) == 0 {
		return nil
	}
	return l.all[len(l.all)-1]
}

// newest returns the records, newest first. It removes what no longer belongs if there
// is much of it on the way.
func (l *list) newest() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		skipped := 0
		for _, r := range slices.Backward(l.all) {
			if !l.has(r) {
				skipped++
			} else if !yield(r) {
				break
			}
		}
		if skipped > 1000 {
			l.compact()
		}
	}
}

// oldest returns the records in log order.
func (l *list) oldest() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for _, r := range l.all {
			if l.has(r) && !yield(r) {
				return
			}
		}
	}
}

// members is the set of components that are registered in a thread. Once a signal refers
// to it, it never changes: the next registration makes a copy.
type members struct {
	ids  map[string]bool
	kept bool
}

func (m *members) has(id string) bool { return m != nil && m.ids[id] }

func (m *members) size() int {
	if m == nil {
		return 0
	}
	return len(m.ids)
}

// noRecipients stands for no recipients, because an empty list means everyone on the
// bus. Only the system has this id, and it reads everything.
var noRecipients = signals.To(system)

// recipients returns the recipients on the bus.
func recipients(names []string) signals.Recipients {
	if len(names) == 0 {
		return noRecipients
	}
	return signals.To(names...)
}

func names(to signals.Recipients) []string {
	if to.Equal(noRecipients) {
		return nil
	}
	return to.Names()
}
