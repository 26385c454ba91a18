package agents

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
)

type returnedKey struct{}

// WithReturned returns a context in which report is called with what each tool of package tools returns without an
// error, concurrently and by the goroutine that made the call. A swarm knows by it which results agents state on their
// own.
func WithReturned(ctx context.Context, report func(signals.ToolResult)) context.Context {
	return context.WithValue(ctx, returnedKey{}, report)
}

// Returned returns the signal of what a tool returned, and reports it to the function that ctx carries, if any. It is
// for reactors that run tools by themselves, without package tools.
func Returned(ctx context.Context, r signals.ToolResult) signals.Any {
	if report, ok := ctx.Value(returnedKey{}).(func(signals.ToolResult)); ok {
		report(r)
	}
	return signals.New(signals.Header{Confidence: 1}, r)
}
