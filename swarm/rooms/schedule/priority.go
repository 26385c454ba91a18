package schedule

import (
	"encoding/json"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
)

// Priority orders messages by how soon they are answered. At intake it is a number or a
// word, in events always the word.
type Priority uint8

// The priorities, with their numbers at intake.
const (
	Urgent     Priority = 1
	Normal     Priority = 2
	Background Priority = 3
)

var priorities = signals.NewEnum[Priority]("priority", "urgent", "normal", "background")

// Check refuses a value that is not one of the three with a [*signals.FieldError].
func (p Priority) Check() error { return priorities.Check(p) }

// String returns the word, or "unset" for 0.
func (p Priority) String() string { return priorities.String(p) }

// MarshalText writes the word.
func (p Priority) MarshalText() ([]byte, error) { return priorities.Marshal(p) }

// UnmarshalText reads the word.
func (p *Priority) UnmarshalText(text []byte) error { return priorities.Unmarshal(text, p) }

// UnmarshalJSON reads the word as a string, or the number.
func (p *Priority) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) == nil {
		return p.UnmarshalText([]byte(word))
	}
	parsed, err := ParsePriority(string(data))
	*p = parsed
	return err
}

// ParsePriority reads a word or one of the numbers 1, 2 and 3.
func ParsePriority(text string) (p Priority, err error) {
	if n, err := strconv.ParseUint(text, 10, 8); err == nil {
		return Priority(n), Priority(n).Check()
	}
	err = p.UnmarshalText([]byte(text))
	return p, err
}
