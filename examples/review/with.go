package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// module is that of the review. Its tools are in one of their own, below it.
const module = "github.com/swarmbus/swarmbus/examples/review"

// with returns the named tools, which are built when they are asked.
func with(names string) (all []inspect.Tool, err error) {
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == ',' }) {
		if name != "staticcheck" && name != "gosec" {
			return nil, fmt.Errorf("there is no tool %q: staticcheck, gosec", name)
		}
		all = append(all, inspect.Tool{Name: name, Look: func(ctx context.Context, dir string) (r inspect.Report, err error) {
			path, err := program(ctx, name)
			if err != nil {
				return r, err
			}
			out, err := output(exec.CommandContext(ctx, path, dir))
			if err == nil {
				err = json.Unmarshal(out, &r)
			}
			return r, err
		}})
	}
	return all, nil
}

// program returns the program of a tool, in a directory of the user's cache where the next
// review finds it.
func program(ctx context.Context, tool string) (path string, err error) {
	dir, err := output(exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module))
	if err != nil {
		return "", fmt.Errorf("tools are built in a checkout of swarmbus: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path = filepath.Join(cache, "swarmbus", "review", tool)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "./"+tool)
	cmd.Dir, cmd.Env = filepath.Join(strings.TrimSpace(string(dir)), "tools"), append(os.Environ(), "GOWORK=off")
	_, err = output(cmd)
	return path, err
}

// output runs a command. The error says what the command did.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %s", filepath.Base(cmd.Path), cmp.Or(strings.TrimSpace(string(exit.Stderr)), err.Error()))
	}
	return out, err
}
