// Package anyprogram runs tools.
package anyprogram

import (
	"context"
	"os/exec"
)

// Run runs a tool and returns what it prints.
func Run(ctx context.Context, tool string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, tool, args...).Output()
}
