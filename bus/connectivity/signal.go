package connectivity

import (
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// signalOf returns the signal of an entry of the log, without a state.
func signalOf(h *signals.Header, n *coordination.Note) coordination.Signal {
	return coordination.Signal{
		Seq: h.Seq, ID: h.ID, Thread: h.Thread, Source: h.Source, Class: n.Class, Audience: n.Audience,
		Priority: n.Priority, Confidence: n.Confidence, Summary: n.Summary, Details: n.Details, Replaces: n.Replaces,
		Step: n.Step, ExpiresAtStep: n.ExpiresAtStep, EmittedAt: h.Time,
		Recipients: names(h.Recipients), Components: n.Components,
	}
}

// Input is what a source provides; the layer adds the rest. Most signals need
// Class, Thread and Summary, and those about confidence and conflict a grade.
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

	round int32          // of the draft's header
	trace *signals.Trace // likewise
}

// note returns the note of the input, with the defaults.
func (in *Input) note() coordination.Note {
	return coordination.Note{
		Class: in.Class, Audience: in.Audience, Priority: in.Priority, Confidence: in.Confidence,
		Summary: in.Summary, Details: in.Details, Replaces: in.Replaces,
		ExpiresAtStep: in.ExpiresAtStep, ExpiresAfter: in.ExpiresAfter,
	}.Defaulted()
}

// check checks the rules that do not depend on the thread.
func (in *Input) check(n *coordination.Note) error {
	if err := checkNames("source", in.Thread, in.Source); err != nil {
		return err
	}
	return n.Check(signals.Limits{})
}
