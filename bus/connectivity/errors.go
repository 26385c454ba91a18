package connectivity

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

var (
	// ErrNotFound says that the layer holds no signal with that id.
	ErrNotFound = errors.New("connectivity: signal not found")
	// ErrTerminal says that the signal has ended in another way.
	ErrTerminal = errors.New("connectivity: signal has ended")
	// ErrFull says that the thread has as many live signals as it may.
	ErrFull = errors.New("connectivity: too many live signals")
	// ErrNotAllowed says that a component wanted to do what is not its to do.
	ErrNotAllowed = errors.New("connectivity: not the component's to do")
	// ErrNobody says that an audience has nobody in it who may answer.
	ErrNobody = errors.New("connectivity: nobody in the audience who may answer")
	// ErrIncomplete says that a log does not hold all that a layer is made of.
	ErrIncomplete = errors.New("connectivity: incomplete log")
	// ErrNotFed says that a bus does not hold the log that a layer is made of.
	ErrNotFed = errors.New("connectivity: the bus was not fed with the log")
)

// A ValidationError names the field of an [Input], a [Query] or
// [Options] that breaks a rule. It is
// [signals.ErrInvalid] and, about replaces, [ErrNotFound], [ErrTerminal] or
// [ErrNotAllowed].
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
