package connectivity

import (
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of the entries that the layer writes in addition to the signals
// themselves, so that its state is a fold of the log.
const (
	KindTransition signals.Kind = "connectivity:transition"
	KindStep       signals.Kind = "connectivity:step"
	KindMode       signals.Kind = "connectivity:mode"
	KindClosed     signals.Kind = "connectivity:closed"
)

// Transition says that signals of one thread reached a state. Its source is the
// component that ended them, by replacing or resolving, or the system. A
// terminal transition has the recipients of the signals; one to Active is for
// the system only.
type Transition struct {
	Link
	State   State `json:"state"`   // required; not Emitted
	Signals IDs   `json:"signals"` // required
}

// Step says that a thread reached a step. It is for the system only, like
// [Requested] and [Closed].
type Step struct {
	Link
	Step int `json:"step"` // at least 1
}

// Requested records the mode that the hook asked for.
type Requested struct {
	Link
	For  signals.ID `json:"for"`  // required; the signal that the hook was called for
	At   uint64     `json:"at"`   // required; its position in the log
	Mode Mode       `json:"mode"` // required
}

// Closed says that a thread was closed and that everything in it is forgotten.
type Closed struct{ Link }

// Kind returns KindTransition.
func (Transition) Kind() signals.Kind { return KindTransition }

// Kind returns KindStep.
func (Step) Kind() signals.Kind { return KindStep }

// Kind returns KindMode.
func (Requested) Kind() signals.Kind { return KindMode }

// Kind returns KindClosed.
func (Closed) Kind() signals.Kind { return KindClosed }

// Check implements [signals.Checker].
func (t *Transition) Check(l signals.Limits) error {
	if err := first(t.check(l), stateNames.Check(t.State)); err != nil {
		return err
	}
	if t.State == Emitted {
		return &signals.FieldError{Field: "state", Value: t.State.String(), Problem: "a signal cannot return to it"}
	}
	return l.Ref("signals", t.Signals.first)
}

// Check implements [signals.Checker].
func (s *Step) Check(l signals.Limits) error {
	if s.Step < 1 {
		return &signals.FieldError{Field: "step", Value: strconv.Itoa(s.Step), Problem: "below 1"}
	}
	return s.check(l)
}

// Check implements [signals.Checker].
func (r *Requested) Check(l signals.Limits) error {
	if r.At == 0 {
		return &signals.FieldError{Field: "at", Value: "0", Problem: "not a sequence number"}
	}
	return first(r.check(l), l.Ref("for", r.For), modeNames.Check(r.Mode))
}

// Check implements [signals.Checker].
func (c *Closed) Check(l signals.Limits) error { return c.check(l) }

// Payloads returns the registrations of the layer's kinds, for a
// [signals.Codec] that reads its signals from elsewhere.
func Payloads() []signals.Registration {
	return []signals.Registration{
		signals.For[Attention](), signals.For[Confidence](), signals.For[ConflictNotice](),
		signals.For[Handoff](), signals.For[Escalation](),
		signals.For[Transition](), signals.For[Step](), signals.For[Requested](), signals.For[Closed](),
	}
}

// kinds are the kinds reserved for layers.
var kinds = []signals.Kind{
	KindAttention, KindConfidence, KindConflict, KindHandoff, KindEscalation,
	KindTransition, KindStep, KindMode, KindClosed,
}
