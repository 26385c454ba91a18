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

// Suppression defines when a signal only repeats a stored one. The zero value is the
// default: within the same step. Under any rule, signals of the [coordination.Lowest]
// salience are suppressed as long as the same signal is live.
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
	StillLive                       // the signal is of the [coordination.Lowest] salience and the other is live
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

// repeated returns the newest live signal that a note of a source would only repeat, and
// why. A note that replaces another repeats nothing; neither does one that is more urgent
// than all stored ones.
func (s *Suppression) repeated(t *coordination.Thread, source string, n *coordination.Note, now time.Time) (found *coordination.Record, why Reason) {
	if n.Priority == coordination.Critical || !n.Replaces.IsZero() {
		return nil, why
	}
	least := urgency(n.Priority, n.Salience())
	t.Same(source, n, func(r *coordination.Record) bool {
		covered := s.covers(r, n, now)
		if covered != 0 && urgency(r.Priority, r.Salience()) >= least {
			found, why = r, Reason{Repetition: covered, Step: r.Step, Age: now.Sub(r.EmittedAt), Window: s.Window}
		}
		return covered != 0 && found == nil // if r does not cover it, no earlier one does
	})
	return found, why
}

// covers returns why r still covers a note emitted now; 0 if it does not. Of grades, only the
// one in force covers a note: a source that returns to an earlier grade has changed it twice.
// The clock may have gone back since r, if the layer was rebuilt.
func (s *Suppression) covers(r *coordination.Record, n *coordination.Note, now time.Time) Repetition {
	switch {
	case !r.InForce():
		return 0
	case n.Salience() == coordination.Lowest:
		return StillLive
	case s.Basis == ByTime && now.Sub(r.EmittedAt).Abs() <= s.Window:
		return Recent
	case s.Basis == ByStep && r.Step == n.Step:
		return SameStep
	}
	return 0
}

// urgency ranks signals by priority and, within one, by salience.
func urgency(p coordination.Priority, s coordination.Salience) int {
	return 2*int(p) + int(s)
}
