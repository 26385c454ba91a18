package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// What a team file says in vain is named when the team is checked.
func TestCheckNamesFieldsWithoutEffectInTheMode(t *testing.T) {
	idle := []string{"strategy: bayesian", "conflicts: majority", "advocate: critic", "speakers: 1", "rounds: 2", "threshold: 0.6", "factsDiffer: true", "calls: 3"}
	for mode, want := range map[string][]string{
		"deliberate": {"factsDiffer", "calls"},
		"vote":       {"factsDiffer", "strategy", "conflicts", "advocate", "speakers", "rounds"},
		"auto":       {"strategy", "advocate", "speakers"},
	} {
		status, _, stderr := swarmbusRun(t, "team", "check", teamFile(t, append(idle, "mode: "+mode)...))
		var got []string
		for line := range strings.Lines(stderr) {
			got = append(got, strings.Fields(line)[1])
			if !strings.Contains(line, "has no effect in mode "+mode) {
				t.Errorf("%s: %s", mode, line)
			}
		}
		if status != cli.ExitDecided || !slices.Equal(got, want) {
			t.Errorf("%s: status %d, named %q, want %q", mode, status, got, want)
		}
	}
	for _, name := range teams.Names() {
		if _, _, stderr := swarmbusRun(t, "team", "check", name); stderr != "" {
			t.Errorf("the ready-made team %s: %s", name, stderr)
		}
	}
}

func TestFlagsSayThatATeamFileIsWrongAboutItsTasks(t *testing.T) {
	var f teamFlags
	cmd := new(cobra.Command)
	f.define(cmd.Flags())
	yes := true
	team := &teams.Team{FactsDiffer: &yes, Checkable: &yes}
	if err := cmd.ParseFlags([]string{"--facts-differ=false"}); err != nil {
		t.Fatal(err)
	}
	if err := f.change(cmd, team); err != nil || *team.FactsDiffer || !*team.Checkable {
		t.Errorf("%v: facts differ %v, checkable %v; want false as given, true as in the file", err, *team.FactsDiffer, *team.Checkable)
	}
}

// What changes nothing is refused, so that nobody counts on it.
func TestFlagsWithoutEffectInTheModeAreRefused(t *testing.T) {
	for flags, want := range map[string]string{
		"--mode deliberate --calls 3":    "--calls 3 has no effect in mode deliberate, only in the other modes",
		"--mode vote --facts-differ":     "--facts-differ true has no effect in mode vote, only in mode auto",
		"--mode check --checkable=false": "--checkable false has no effect in mode check, only in mode auto",
		"--mode vote --rounds 2":         "--rounds 2 has no effect in mode vote, only in mode deliberate",
	} {
		status, _, stderr := swarmbusRun(t, append([]string{"solve", "Which?", "--model", "ollama:none"}, strings.Fields(flags)...)...)
		if status != cli.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d: %s", flags, status, stderr)
		}
	}
}
