package connectivity

import (
	"slices"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of the entries that the layer writes in addition to the signals
// themselves, so that its state is a fold of the log.
const (
	KindTransition signals.Kind = "connectivity:transition"
	KindStep       signals.Kind = "connectivity:step"
	KindMode       signals.Kind = "connectivity:mode"
	KindMembers    signals.Kind = "connectivity:members"
	KindClosed     signals.Kind = "connectivity:closed"
)

// Transition says that signals of one thread reached a state. Its source is the
// component that ended them, by replacing or resolving, or the system. A
// terminal transition has the recipients of the signals; one to Active is for
// the system only.
type Transition struct {
	Link
	State   State        `json:"state"`   // required; not Emitted
	Signals []signals.ID `json:"signals"` // required
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
	For  signals.ID     `json:"for"`  // required; the signal that the hook was called for
	At   uint64         `json:"at"`   // required; its position in the log
	Mode signals.Effort `json:"mode"` // required
}

// Members says who has joined or left a thread, or who coordinates it from now on. It is
// for those whom it names.
type Members struct {
	Link
	Joined      []string `json:"joined,omitempty"`
	Left        []string `json:"left,omitempty"`
	Coordinator *string  `json:"coordinator,omitempty"` // "": none; nil: as before
}

// Closed says that a thread was closed and that everything in it is forgotten.
type Closed struct{ Link }

// Kind returns KindTransition.
func (Transition) Kind() signals.Kind { return KindTransition }

// Kind returns KindStep.
func (Step) Kind() signals.Kind { return KindStep }

// Kind returns KindMode.
func (Requested) Kind() signals.Kind { return KindMode }

// Kind returns KindMembers.
func (Members) Kind() signals.Kind { return KindMembers }

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
	if len(t.Signals) == 0 {
		return &signals.FieldError{Field: "signals", Problem: "required"}
	}
	for _, id := range t.Signals {
		if err := l.Ref("signals", id); err != nil {
			return err
		}
	}
	return nil
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
	return first(r.check(l), l.Ref("for", r.For), r.Mode.Check())
}

// Check implements [signals.Checker].
func (m *Members) Check(l signals.Limits) error {
	for _, id := range slices.Concat(m.Joined, m.Left) {
		if err := l.Name("components", id); err != nil {
			return err
		}
	}
	if m.Coordinator != nil && *m.Coordinator != "" {
		return first(l.Name("coordinator", *m.Coordinator), m.check(l))
	}
	return m.check(l)
}

// Check implements [signals.Checker].
func (c *Closed) Check(l signals.Limits) error { return c.check(l) }

// Payloads returns the registrations of the layer's kinds, for a
// [signals.Codec] that reads its signals from elsewhere.
func Payloads() []signals.Registration {
	return []signals.Registration{
		signals.For[Attention](), signals.For[Confidence](), signals.For[ConflictNotice](),
		signals.For[Handoff](), signals.For[Escalation](),
		signals.For[Transition](), signals.For[Step](), signals.For[Requested](), signals.For[Members](), signals.For[Closed](),
	}
}

// kinds are the kinds reserved for layers.
var kinds = []signals.Kind{
	KindAttention, KindConfidence, KindConflict, KindHandoff, KindEscalation,
	KindTransition, KindStep, KindMode, KindMembers, KindClosed,
}
