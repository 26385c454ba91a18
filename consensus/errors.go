package consensus

import (
	"errors"
	"fmt"
)

// ErrClosed is returned for a vote or a proposal that comes after [Round.Close].
var ErrClosed = errors.New("consensus: voting is closed")

// FieldError names the refused field of a vote, a proposal or an option, and its value. The call
// that returns it changes nothing.
type FieldError struct {
	Field string // the name on the wire, such as "weight"
	Value any    // the value refused
	Want  string // the accepted values, in words
}

// Error names the field, its value and the accepted values.
func (e *FieldError) Error() string {
	switch e.Value.(type) {
	case string, []string:
		return fmt.Sprintf("%s is %q, want %s", e.Field, e.Value, e.Want)
	}
	return fmt.Sprintf("%s is %v, want %s", e.Field, e.Value, e.Want)
}

func validProposal(id string) error {
	if id == "" {
		return fmt.Errorf("consensus: proposal: %w", &FieldError{"proposalId", id, "a name"})
	}
	return nil
}
