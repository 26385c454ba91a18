package mode

import "github.com/swarmbus/swarmbus/signals"

// A Mode is a way of working on a task. Its wire form is text.
type Mode uint8

// The modes. The zero value is none of them.
const (
	Deliberate Mode = 1 + iota
	Vote
	Single
	FactsFirst
	Check
	Auto
)

var modes = signals.NewEnum[Mode]("mode", "deliberate", "vote", "single", "facts-first", "check", "auto")

// All returns all modes.
func All() []Mode { return []Mode{Deliberate, Vote, Single, FactsFirst, Check, Auto} }

// Valid returns a [*signals.FieldError] for a value that is no mode.
func (m Mode) Valid() error { return modes.Check(m) }

// String returns the wire name, or the number of an unknown mode.
func (m Mode) String() string { return modes.String(m) }

// MarshalText returns the wire name; an unknown mode is an error.
func (m Mode) MarshalText() ([]byte, error) { return modes.Marshal(m) }

// UnmarshalText reads what MarshalText writes.
func (m *Mode) UnmarshalText(text []byte) error { return modes.Unmarshal(text, m) }
