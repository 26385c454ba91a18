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
