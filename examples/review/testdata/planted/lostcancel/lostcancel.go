// Package lostcancel asks with a limit.
package lostcancel

import (
	"context"
	"time"
)

// Ask calls f for a second at most.
func Ask(ctx context.Context, f func(context.Context) string) string {
	ctx, _ = context.WithTimeout(ctx, time.Second)
	return f(ctx)
}
