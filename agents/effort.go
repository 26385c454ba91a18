package agents

import "github.com/swarmbus/swarmbus/signals"

// Effort is how much thinking a turn asks for, for example to select a model.
// The zero value leaves it to the agent. Its wire form is text.
type Effort uint8

// The efforts, least first.
const (
	Cheap Effort = 1 + iota
	Fast
	Deep
)

var efforts = signals.NewEnum[Effort]("effort", "cheap", "fast", "deep")

// String returns the wire name, and "unset" for the zero value.
func (e Effort) String() string { return efforts.String(e) }

// MarshalText returns the wire name; an effort without a name is an error.
func (e Effort) MarshalText() ([]byte, error) { return efforts.Marshal(e) }

// UnmarshalText accepts the three names and nothing else.
func (e *Effort) UnmarshalText(text []byte) error { return efforts.Unmarshal(text, e) }
