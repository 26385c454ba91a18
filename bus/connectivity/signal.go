package connectivity

import (
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Signal is a snapshot of one signal. It is a copy: modifying it does not
// affect the layer.
type Signal struct {
	Seq           uint64 // its position in the bus's log
	ID            signals.ID
	Thread        string
	Source        string
	Class         Class
	Audience      Audience
	Priority      Priority
	Confidence    Grade
	Summary       string
	Details       string
	Replaces      signals.ID
	Step          int // of the thread, when it was emitted
	ExpiresAtStep int // 0: never
	EmittedAt     time.Time
	State         State
	Recipients    []string // sorted; nil: no one in particular, or all
	Components    int      // the number registered, if it went to all of them
}

// Salience returns how much the signal matters for the next decision.
func (s Signal) Salience() Salience { return salience(s.Class, s.Priority, s.Confidence) }

// signalOf returns the signal of an entry of the log, without a state.
func signalOf(h *signals.Header, n *Note) Signal {
	return Signal{
		Seq: h.Seq, ID: h.ID, Thread: h.Thread, Source: h.Source, Class: n.Class, Audience: n.Audience,
		Priority: n.Priority, Confidence: n.Confidence, Summary: n.Summary, Details: n.Details, Replaces: n.Replaces,
		Step: n.Step, ExpiresAtStep: n.ExpiresAtStep, EmittedAt: h.Time,
		Recipients: names(h.Recipients), Components: n.Components,
	}
}

// Input is what a source provides; the layer adds the rest. Most signals need
// Class, Thread and Summary, and those about confidence and conflict a grade.
type Input struct {
	Thread     string     // required
	Source     string     // required, but a [Component] fills in its own; not [bus.System]
	Class      Class      // required; the message class follows from it
	Audience   Audience   // 0 means Selected for handoffs, Coordinator for all others
	Priority   Priority   // 0 means High for escalations, Normal for all others
	Summary    string     // required: one sentence that can be acted on
	Details    string     // optional; preferably under 500 characters
	Confidence Grade      // required for confidence.* and conflict.*; stored as given
	Replaces   signals.ID // the live signal of the thread that this one supersedes; zero: none

	// ExpiresAtStep is the step at which the signal expires; it must be a later
	// one. ExpiresAfter says the same relative to the present step. 0 means
	// never; only one of the two may be set, and neither for a critical signal.
	ExpiresAtStep int
	ExpiresAfter  int
}

// note fills an empty note from the input and the defaults.
func (in *Input) note(n *Note) {
	n.Class, n.Audience, n.Priority, n.Confidence = in.Class, in.Audience, in.Priority, in.Confidence
	n.Summary, n.Details, n.Replaces, n.ExpiresAtStep = in.Summary, in.Details, in.Replaces, in.ExpiresAtStep
	message := in.Class.Message()
	if n.Audience == 0 {
		n.Audience = Coordinator
		if message == AboutHandoff {
			n.Audience = Selected
		}
	}
	if n.Priority == 0 {
		n.Priority = Normal
		if message == AboutEscalation {
			n.Priority = High
		}
	}
}

// check checks the rules that do not depend on the thread.
func (in *Input) check(n *Note) error {
	var l signals.Limits
	if err := first(l.Name("thread", in.Thread), l.Name("source", in.Source)); err != nil {
		return err
	}
	if in.Source == bus.System {
		return &signals.FieldError{Field: "source", Value: in.Source, Problem: "the bus's own"}
	}
	return first(n.check(l), in.checkExpiry(n))
}

func (in *Input) checkExpiry(n *Note) error {
	refuse := func(problem string) error {
		return &signals.FieldError{Field: "expiresAfter", Value: strconv.Itoa(in.ExpiresAfter), Problem: problem}
	}
	switch {
	case in.ExpiresAfter == 0:
		return nil
	case in.ExpiresAfter < 0:
		return refuse("below 0")
	case in.ExpiresAtStep != 0:
		return refuse("expiresAtStep is set too")
	case n.Priority == Critical:
		return refuse("a critical signal does not expire")
	}
	return nil
}
