package coordination

import "github.com/swarmbus/swarmbus/signals"

// Priority is how urgent a note is. The zero value is refused.
type Priority uint8

// The priorities, least urgent first.
const (
	Low      Priority = 1 + iota // informs
	Normal                       // advises
	High                         // may change the mode at once
	Critical                     // is never suppressed, calls the hook, and has to be resolved
)

var priorityNames = signals.NewEnum[Priority]("priority", "low", "normal", "high", "critical")

// Check returns a [*signals.FieldError] for a priority without a name.
func (p Priority) Check() error { return priorityNames.Check(p) }

// String returns the wire name, or the number of an unknown priority.
func (p Priority) String() string { return priorityNames.String(p) }

// MarshalText returns the wire name; an unknown priority is an error.
func (p Priority) MarshalText() ([]byte, error) { return priorityNames.Marshal(p) }

// UnmarshalText accepts the four wire names and nothing else.
func (p *Priority) UnmarshalText(text []byte) error {
	return priorityNames.Unmarshal(text, p)
}
