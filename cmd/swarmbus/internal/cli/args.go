package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// NoArgs refuses arguments.
func NoArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage(fmt.Errorf("unexpected argument %q", args[0]))
	}
	return nil
}

// OneRun is one argument, a run.
func OneRun(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usage(fmt.Errorf("one run is required, not %d; see swarmbus runs", len(args)))
	}
	return nil
}

// AtMost is up to n arguments.
func AtMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return Usage(fmt.Errorf("%d arguments, at most %d are allowed", len(args), n))
		}
		return nil
	}
}
