package agents

import "github.com/swarmbus/swarmbus/signals"

// Effort is how much thought a turn asks for, such as which model to take. The
// zero value leaves it to the agent. It travels as text.
type Effort uint8

// The efforts, least first.
const (
	Cheap Effort = 1 + iota
	Fast
	Deep
)

var efforts = signals.NewEnum[Effort]("effort", "cheap", "fast", "deep")

// String returns the name on the wire, and "unset" for the zero value.
func (e Effort) String() string { return efforts.String(e) }

// MarshalText returns the name on the wire; an effort without one is an error.
func (e Effort) MarshalText() ([]byte, error) { return efforts.Marshal(e) }

// UnmarshalText accepts the three names and nothing else.
func (e *Effort) UnmarshalText(text []byte) error { return efforts.Unmarshal(text, e) }
