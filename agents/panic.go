package agents

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A PanicError is returned for a panic of an agent, and for one of a tool that it calls.
type PanicError struct {
	Agent string // or the tool
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("agents: %s panicked: %v", e.Agent, e.Value) }

// Panicked returns the error of a panic with a value that was recovered, and writes a line with the stack to the
// program's log ([slog.Default]): an error of a turn, or of a tool, is told in one line. It is for reactors that call
// tools without package tools, and called by the function that recovers.
func Panicked(ctx context.Context, who string, value any) *PanicError {
	e := &PanicError{who, value, debug.Stack()}
	thread := ""
	if t := TurnOf(ctx); t != nil {
		thread = t.Thread
	}
	slog.ErrorContext(ctx, "panic", "of", who, "thread", thread, "value", text.Cut(text.Printable(fmt.Sprint(value)), 400), "stack", text.Cut(string(e.Stack), mostStack))
	return e
}

// mostStack is how many bytes of a stack are in a line: the frames of the panic are the first.
const mostStack = 8 << 10
