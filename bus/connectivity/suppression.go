package connectivity

import (
	"fmt"
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Basis is the unit of the suppression window.
type Basis uint8

// The bases.
const (
	ByStep Basis = iota // within the step of the thread
	ByTime              // within a duration of the stored signal
)

// Suppression says when a signal only repeats a stored one. The zero value is
// the default: within the same step. Signals of the [Lowest] salience are
// suppressed as long as the same signal is live, whatever the rule.
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

// Repetition says why a signal only repeats another.
type Repetition uint8

// The repetitions.
const (
	SameStep  Repetition = 1 + iota // the other is of the same step
	Recent                          // the other is within the window
	StillLive                       // the signal is of the [Lowest] salience and the other is live
)

// A Reason says why a signal was suppressed. The zero value means that it was
// not.
type Reason struct {
	Repetition Repetition
	Step       int           // of the thread when the other one was emitted
	Age        time.Duration // of the other one
	Window     time.Duration // for Recent
}

// String describes the reason; "" for the zero value.
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

// A question holds the terms of a search for the live record that a note would
// only repeat.
type question struct {
	rule    Suppression
	now     time.Time
	urgency int // of the note
}

// lowest reports whether any live record suppresses the note.
func (q *question) lowest() bool { return q.urgency == 0 }

func (q *question) reason(r *record) Reason {
	why := Reason{Repetition: SameStep, Step: r.Step, Age: q.now.Sub(r.EmittedAt), Window: q.rule.Window}
	switch {
	case q.lowest():
		why.Repetition = StillLive
	case q.rule.Basis == ByTime:
		why.Repetition = Recent
	}
	return why
}

// covers reports whether r still covers a note emitted now. Of grades only the
// one in force does: a source that returns to an earlier grade has changed its
// mind again. The clock may have gone back since r, if the layer was rebuilt.
func (t *Thread) covers(q *question, r *record) bool {
	switch {
	case r.grades() && !r.inForce():
		return false
	case q.lowest():
		return true
	case q.rule.Basis == ByTime:
		return q.now.Sub(r.EmittedAt).Abs() <= q.rule.Window
	}
	return r.Step == t.step
}

// duplicate returns the newest live record that n would only repeat, or nil. A signal
// that replaces another repeats nothing; neither does one that is more urgent
// than all stored ones, or an urgent escalation with another summary.
func (t *Thread) duplicate(from string, n *coordination.Note, q *question) *record {
	if n.Priority == coordination.Critical || !n.Replaces.IsZero() {
		return nil
	}
	g := group{source: from, class: n.Class, audience: n.Audience}
	if alarms(n.Class, n.Priority) {
		g.alarm, g.summary = true, n.Summary
	}
	same := t.groups[g]
	if same == nil {
		return nil
	}
	for r := range same.newest() {
		if !t.covers(q, r) {
			break // nor does an earlier one
		}
		if g.alarm || r.urgency() >= q.urgency {
			return r
		}
	}
	return nil
}
