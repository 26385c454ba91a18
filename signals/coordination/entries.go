package coordination

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of the entries that a layer writes in addition to the notes themselves and
// their transitions, so that its state is a fold of the log.
const (
	KindStep    signals.Kind = "connectivity:step"
	KindMode    signals.Kind = "connectivity:mode"
	KindMembers signals.Kind = "connectivity:members"
	KindClosed  signals.Kind = "connectivity:closed"
)

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

// Members lists the components that joined or left a thread, or names its new coordinator.
// It is addressed to the components that it names.
type Members struct {
	Link
	Joined      []string `json:"joined,omitempty"`
	Left        []string `json:"left,omitempty"`
	Coordinator *string  `json:"coordinator,omitempty"` // "": none; nil: as before
}

// Closed says that a thread was closed and that everything in it is forgotten.
type Closed struct{ Link }

// Kind returns KindStep.
func (Step) Kind() signals.Kind { return KindStep }

// Kind returns KindMode.
func (Requested) Kind() signals.Kind { return KindMode }

// Kind returns KindMembers.
func (Members) Kind() signals.Kind { return KindMembers }

// Kind returns KindClosed.
func (Closed) Kind() signals.Kind { return KindClosed }

// Check implements [signals.Checker].
func (s *Step) Check(l signals.Limits) error {
	if s.Step < 1 {
		return &signals.FieldError{Field: "step", Value: strconv.Itoa(s.Step), Problem: "below 1"}
	}
	return s.Link.Check(l)
}

// Check implements [signals.Checker].
func (r *Requested) Check(l signals.Limits) error {
	if r.At == 0 {
		return &signals.FieldError{Field: "at", Value: "0", Problem: "not a sequence number"}
	}
	return cmp.Or(r.Link.Check(l), l.Ref("for", r.For), r.Mode.Check())
}

// Check implements [signals.Checker].
func (m *Members) Check(l signals.Limits) error {
	for _, id := range slices.Concat(m.Joined, m.Left) {
		if err := l.Name("components", id); err != nil {
			return err
		}
	}
	if m.Coordinator != nil && *m.Coordinator != "" {
		return cmp.Or(l.Name("coordinator", *m.Coordinator), m.Link.Check(l))
	}
	return m.Link.Check(l)
}

// String describes the entry in a sentence, for people.
func (s Step) String() string { return fmt.Sprintf("step %d begins", s.Step) }

// String describes the entry in a sentence, for people.
func (r Requested) String() string { return fmt.Sprintf("%s asks for %s turns", r.For, r.Mode) }

// String describes the entry in a sentence, for people.
func (m Members) String() string {
	var all []string
	if len(m.Joined) > 0 {
		all = append(all, strings.Join(m.Joined, ", ")+" joined")
	}
	if len(m.Left) > 0 {
		all = append(all, strings.Join(m.Left, ", ")+" left")
	}
	switch {
	case m.Coordinator != nil && *m.Coordinator == "":
		all = append(all, "no one coordinates")
	case m.Coordinator != nil:
		all = append(all, *m.Coordinator+" coordinates")
	}
	return strings.Join(all, "; ")
}

// String describes the entry in a sentence, for people.
func (Closed) String() string { return "the coordination of the thread has ended" }

// Entries returns the registrations of all kinds of entries, for a [signals.Codec] that
// reads a layer's signals from elsewhere.
func Entries() []signals.Registration {
	return append(Payloads(),
		signals.For[Step](), signals.For[Requested](), signals.For[Members](), signals.For[Closed]())
}

// Kinds returns the kinds that are reserved for layers.
func Kinds() []signals.Kind {
	return []signals.Kind{
		KindAttention, KindConfidence, KindConflict, KindHandoff, KindEscalation,
		KindTransition, KindStep, KindMode, KindMembers, KindClosed,
	}
}

// LinkOf returns the link in s itself, which must not be modified, or nil if s is not an entry
// of a layer.
func LinkOf(s signals.Any) *Link {
	switch s := s.(type) {
	case *signals.Signal[Transition]:
		return &s.Payload.Link
	case *signals.Signal[Step]:
		return &s.Payload.Link
	case *signals.Signal[Requested]:
		return &s.Payload.Link
	case *signals.Signal[Members]:
		return &s.Payload.Link
	case *signals.Signal[Closed]:
		return &s.Payload.Link
	}
	if n := NoteOf(s); n != nil {
		return &n.Link
	}
	return nil
}
