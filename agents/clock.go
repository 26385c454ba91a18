package agents

import (
	"context"
	"time"
)

// Now returns the time on the clock of the turn that ctx belongs to ([Turn].Clock), or on
// the machine's outside of turns.
func Now(ctx context.Context) time.Time {
	if t := TurnOf(ctx); t != nil && t.Clock != nil {
		return t.Clock()
	}
	return time.Now()
}

type tookKey struct{}

// WithTook returns a context in which told is called with how long a call took, if it is
// recorded or was replayed: see [Took].
func WithTook(ctx context.Context, told func(time.Duration)) context.Context {
	return context.WithValue(ctx, tookKey{}, told)
}

// Took reports how long a recorded call took when it was made, to its caller, so that a
// replay says the same.
func Took(ctx context.Context, d time.Duration) {
	if told, ok := ctx.Value(tookKey{}).(func(time.Duration)); ok {
		told(d)
	}
}
