package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// Every command that does something has an example, whose flags it has.
func TestEveryCommandHasAnExampleThatItUnderstands(t *testing.T) {
	shown := 0
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			check(c)
		}
		if cmd.Example == "" {
			if cmd.Runnable() {
				t.Errorf("%s has no example", cmd.CommandPath())
			}
			return
		}
		for line := range strings.Lines(cmd.Example) {
			shown++
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "swarmbus" {
				t.Errorf("%s: %q is no command", cmd.CommandPath(), line)
				continue
			}
			of, _, err := newRoot(new(cli.Telemetry)).Find(words[1:])
			if err != nil || !strings.HasPrefix(of.CommandPath(), cmd.CommandPath()) {
				t.Errorf("%s: %q is another command, %v", cmd.CommandPath(), line, err)
				continue
			}
			for _, w := range words {
				name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
				if strings.HasPrefix(w, "--") && of.Flags().Lookup(name) == nil {
					t.Errorf("%s: %q: there is no flag %s", cmd.CommandPath(), line, w)
				}
			}
		}
	}
	check(newRoot(new(cli.Telemetry)))
	if shown < len(examples) {
		t.Errorf("%d lines of %d examples are shown: one is of no command", shown, len(examples))
	}
}
