package connectivity

import (
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Signal is one signal as it is at one moment. It is a copy: what is done to
// it changes nothing in the layer.
type Signal struct {
	Seq           uint64 // its place in the bus's log
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
	Recipients    []string // who gets it, sorted; nil: nobody but observers
}

// Input is what a source has to say. The layer adds the rest.
type Input struct {
	Thread     string // required
	Source     string // required; not [bus.System]
	Class      Class  // required; the message class follows from it
	Audience   Audience
	Priority   Priority
	Summary    string     // required: one sentence that can be acted on
	Details    string     // optional; best under 500 characters
	Confidence Grade      // required for confidence.* and conflict.*; connectivity does not judge it
	Replaces   signals.ID // the live signal of the thread that this one makes obsolete; zero: none

	// ExpiresAtStep ends the signal when the thread gets there; it must be
	// ahead. 0 means never.
	ExpiresAtStep int
}

func (in *Input) note(layer string) Note {
	return Note{
		Layer: layer, Class: in.Class, Audience: in.Audience, Priority: in.Priority, Confidence: in.Confidence,
		Summary: in.Summary, Details: in.Details, Replaces: in.Replaces, ExpiresAtStep: in.ExpiresAtStep,
	}
}
