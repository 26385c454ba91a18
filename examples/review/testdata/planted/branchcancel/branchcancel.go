// Package branchcancel asks with a limit.
package branchcancel

import (
	"context"
	"time"
)

// Do calls f with a limit.
func Do(ctx context.Context, slow bool, f func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, time.Second)
	if slow {
		return f(ctx)
	}
	err := f(limited)
	cancel()
	return err
}
