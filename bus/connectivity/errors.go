package connectivity

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

var (
	// ErrNotFound is returned if the layer holds no signal with that id.
	ErrNotFound = errors.New("connectivity: signal not found")
	// ErrTerminal is returned if the signal has already ended in another way.
	ErrTerminal = errors.New("connectivity: signal has ended")
	// ErrFull is returned if the thread has reached its limit of live signals.
	ErrFull = errors.New("connectivity: too many live signals")
	// ErrNotAllowed is returned if a component has no right to the operation that it
	// tried.
	ErrNotAllowed = errors.New("connectivity: not permitted")
	// ErrNoAudience is reported if no component in an audience may answer.
	ErrNoAudience = errors.New("connectivity: no one in the audience may answer")
	// ErrIncomplete is returned if a log lacks entries that a layer is rebuilt
	// from.
	ErrIncomplete = errors.New("connectivity: incomplete log")
	// ErrNotFed is returned if a bus was not fed with the log that a layer is
	// rebuilt from.
	ErrNotFed = errors.New("connectivity: the log was not fed to the bus")
)

// A ValidationError names the field of an [Input], a [coordination.Query] or [Options] that
// breaks a rule. It wraps [signals.ErrInvalid] and, for the field replaces,
// [ErrNotFound], [ErrTerminal] or [ErrNotAllowed].
type ValidationError struct {
	Field   string // the wire name
	Value   string // cut to a readable length
	Problem string
	Err     error // the cause, if there is an error for it
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

// invalid turns a field error of package signals or bus into a ValidationError,
// and returns other errors unchanged.
func invalid(err error) error {
	if field, ok := errors.AsType[*signals.FieldError](err); ok {
		return &ValidationError{Field: field.Field, Value: field.Value, Problem: field.Problem}
	}
	return err
}

// checkNames refuses what cannot be the name of a thread, or of a component.
func checkNames(field, thread string, ids ...string) error {
	var l signals.Limits
	if err := l.Name("thread", thread); err != nil {
		return invalid(err)
	}
	total := 0
	for _, id := range ids {
		if err := l.Name(field, id); err != nil {
			return invalid(err)
		}
		if id == bus.System {
			return &ValidationError{Field: field, Value: id, Problem: "the bus's own"}
		}
		total += len(id)
	}
	if field == "recipients" && total > signals.DefaultTextBytes {
		return &ValidationError{Field: field, Value: ids[0], Problem: "too many: for all of a thread there is the audience all"}
	}
	return nil
}

// guard calls a callback of the program, and returns its error or panic with the name of the
// callback.
func guard(what string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &bus.PanicError{Value: v, Stack: debug.Stack()}
		}
		if err != nil {
			err = fmt.Errorf("connectivity: %s: %w", what, err)
		}
	}()
	return f()
}
