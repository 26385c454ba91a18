package connectivity

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

var (
	// ErrNotFound says that the layer holds no signal with that id.
	ErrNotFound = errors.New("connectivity: signal not found")
	// ErrTerminal says that the signal has ended in another way.
	ErrTerminal = errors.New("connectivity: signal has ended")
	// ErrFull says that the thread has as many live signals as it may.
	ErrFull = errors.New("connectivity: too many live signals")
)

// A ValidationError names the field of an [Input] that breaks a rule. It is
// [signals.ErrInvalid] and, about replaces, [ErrNotFound] or [ErrTerminal].
type ValidationError struct {
	Field   string // the wire name
	Value   string // as it was, cut to a readable length
	Problem string
	Err     error // why, where there is an error for it
}

func (e *ValidationError) Error() string {
	return fmt.Sprintf("connectivity: %s = %q: %s", e.Field, e.Value, e.Problem)
}

// Unwrap returns [signals.ErrInvalid] and Err.
func (e *ValidationError) Unwrap() []error {
	if e.Err == nil {
		return []error{signals.ErrInvalid}
	}
	return []error{signals.ErrInvalid, e.Err}
}

// invalid makes a ValidationError of what signals and the bus find wrong with
// a field, and passes on other errors.
func invalid(err error) error {
	if err == nil {
		return nil
	}
	var field *signals.FieldError
	if !errors.As(err, &field) {
		return err
	}
	return &ValidationError{Field: field.Field, Value: field.Value, Problem: field.Problem}
}

// checkInput holds the rules that need no thread.
func checkInput(in *Input, n *Note) error {
	var l signals.Limits
	if err := l.Name("thread", in.Thread); err != nil {
		return invalid(err)
	}
	if err := l.Name("source", in.Source); err != nil {
		return invalid(err)
	}
	if in.Source == bus.System {
		return &ValidationError{Field: "source", Value: in.Source, Problem: "the bus's own"}
	}
	return invalid(n.check(l))
}
