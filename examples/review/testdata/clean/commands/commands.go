// Package commands asks git.
package commands

import (
	"context"
	"os/exec"
	"strings"
)

// Head returns the commit of a repository.
func Head(ctx context.Context, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "HEAD")
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
