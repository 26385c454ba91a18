package connectivity

import (
	"fmt"
	"strconv"
	"time"
)

// Basis is what the window of suppression is measured in.
type Basis uint8

// The bases.
const (
	ByStep Basis = iota // within the step of the thread
	ByTime              // within a time from the stored signal on
)

// Suppression says which signals are the same as one that is stored already.
// The zero value is the default: those of the same step. Signals of the
// [Lowest] salience are suppressed as long as the same is live, whatever the rule.
type Suppression struct {
	Basis  Basis
	Window time.Duration // for ByTime, inclusive; 0 means 5s
}

func (s *Suppression) normalize() error {
	switch {
	case s.Basis > ByTime:
		return &ValidationError{Field: "Basis", Value: strconv.Itoa(int(s.Basis)), Problem: "neither by step nor by time"}
	case s.Window < 0:
		return &ValidationError{Field: "Window", Value: s.Window.String(), Problem: "negative"}
	case s.Window == 0:
		s.Window = 5 * time.Second
	}
	return nil
}

// Repetition is why a signal only repeats another.
type Repetition uint8

// The repetitions.
const (
	SameStep  Repetition = 1 + iota // the other is of the same step
	Recent                          // the other is within the window
	StillLive                       // the signal is of the [Lowest] salience and the other is live
)

// A Reason says why a signal was suppressed. The zero value says that it was
// not.
type Reason struct {
	Repetition Repetition
	Step       int           // of the thread when the other one was emitted
	Age        time.Duration // of the other one
	Window     time.Duration // for Recent
}

// String returns it in words, "" for the zero value.
func (r Reason) String() string {
	switch r.Repetition {
	case SameStep:
		return fmt.Sprintf("the same in step %d", r.Step)
	case Recent:
		return fmt.Sprintf("the same %v ago, within %v", r.Age, r.Window)
	case StillLive:
		return fmt.Sprintf("the same since step %d, still live", r.Step)
	}
	return ""
}

// A question is which live record a note of a source would only repeat, at a
// moment and under a rule.
type question struct {
	rule    Suppression
	now     int64
	urgency int // of the note
}

// lowest reports whether any live record will do.
func (q *question) lowest() bool { return q.urgency == 0 }

func (q *question) repetition() Repetition {
	switch {
	case q.lowest():
		return StillLive
	case q.rule.Basis == ByTime:
		return Recent
	}
	return SameStep
}

// covers reports whether r still stands for what is said now. Of grades only
// the one in force does: a source that goes back to what it said before has
// changed its mind again. The clock may have gone back since, where a layer was
// rebuilt.
func (q *question) covers(r *record) bool {
	switch {
	case r.grades() && !r.inForce():
		return false
	case q.lowest():
		return true
	case q.rule.Basis == ByTime:
		return time.Duration(q.now-r.at).Abs() <= q.rule.Window
	}
	return r.step == r.thread().step
}

func (q *question) reason(r *record) Reason {
	return Reason{Repetition: q.repetition(), Step: r.step, Age: time.Duration(q.now - r.at), Window: q.rule.Window}
}

// duplicate returns the live record that n would only repeat, nil if none. What
// corrects another signal repeats nothing, nor does what is more urgent than
// all that is stored, nor an urgent escalation with another summary.
func (t *thread) duplicate(from string, n *Note, q *question) *record {
	if t == nil || n.Priority == Critical || !n.Replaces.IsZero() {
		return nil
	}
	src := t.sources.get(from)
	if src == nil {
		return nil
	}
	g := src.findGroup(n.Class, n.Audience)
	if g == nil {
		return nil
	}
	if alarms(n.Class, n.Priority) {
		if same := g.bySummary[n.Summary]; same != nil {
			if last := t.records.at(same.last); q.covers(last) {
				return last
			}
		}
		return nil
	}
	return t.newest(g, q)
}

// newest returns the newest that still stands and is as urgent. It looks at the
// last one of each urgency only: if that does not stand, none does.
func (t *thread) newest(g *group, q *question) (found *record) {
	for u := q.urgency; u < urgencies; u++ {
		if g.byUrgency[u].n == 0 {
			continue
		}
		last := t.records.at(g.byUrgency[u].last)
		if (found == nil || last.seq > found.seq) && q.covers(last) {
			found = last
		}
	}
	return found
}
