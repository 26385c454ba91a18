package connectivity

import (
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Input has the fields of a signal that its source sets; the layer sets the rest. Most
// signals need Class, Thread and Summary, and those about confidence and conflict a grade.
type Input struct {
	Thread     string                // required
	Source     string                // required, but a [Component] fills in its own; not [bus.System]
	Class      coordination.Class    // required; the message class follows from it
	Audience   coordination.Audience // 0 means Selected for handoffs, Coordinator for all others
	Priority   coordination.Priority // 0 means High for escalations, Normal for all others
	Summary    string                // required: one sentence that can be acted on
	Details    string                // optional; preferably under 500 characters
	Confidence coordination.Grade    // required for confidence.* and conflict.*; stored as given
	Replaces   signals.ID            // the live signal of the thread that this one supersedes; zero: none

	// ExpiresAtStep is the step at which the signal expires; it must be a later
	// one. ExpiresAfter says the same relative to the present step. 0 means
	// never; only one of the two may be set, and neither for a critical signal.
	ExpiresAtStep int
	ExpiresAfter  int
}

// note returns the note of the input.
func (in *Input) note() coordination.Note {
	return coordination.Note{
		Class: in.Class, Audience: in.Audience, Priority: in.Priority, Confidence: in.Confidence,
		Summary: in.Summary, Details: in.Details, Replaces: in.Replaces,
		ExpiresAtStep: in.ExpiresAtStep, ExpiresAfter: in.ExpiresAfter,
	}
}

// An Emission is the result of emitting an [Input].
type Emission struct {
	Signal     coordination.Signal // as it was stored; if suppressed, the live signal that it would repeat
	Suppressed bool
	Reason     Reason // why, if suppressed
	Open       int    // open signals of the source in the thread, without handoffs: see [Crowd]

	// Unreached is [ErrNoAudience] for a signal whose coordinator or selection does not
	// exist: observers and queries see the signal, but no inbox gets it. A critical signal
	// then goes to all instead, and Unreached is the reason: ErrNoAudience if no component in
	// its audience may answer it, which is possible for the audience [coordination.All] too,
	// or the resolver's error. Otherwise it is nil.
	Unreached error
}
