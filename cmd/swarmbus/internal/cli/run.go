package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/internal/text"
)

// Run runs a command as the program does, prints its error, and returns the exit status.
func Run(ctx context.Context, cmd *cobra.Command, args []string, stdout, stderr io.Writer) int {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	out := &output{w: stdout}
	cmd.SetOut(out)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if failed := out.failed(); failed != nil && !errors.Is(err, failed) { // nobody has looked at it
		err = fmt.Errorf("standard output: %w", failed)
	}
	if err == nil {
		return ExitDecided
	}
	var s *StatusError
	if !errors.As(err, &s) || s.Err != nil {
		fmt.Fprintln(stderr, "swarmbus: "+strings.ReplaceAll(text.Lines(err.Error()), "\n", "\nswarmbus: "))
	}
	switch {
	case s != nil:
		return s.Status
	case ctx.Err() != nil:
		return ExitCancelled
	default:
		return ExitError
	}
}
