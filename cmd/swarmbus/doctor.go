package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// A finding is what came of trying one thing.
type finding struct {
	Check  string  `json:"check"` // model, server, memory, journal or otlp
	Name   string  `json:"name"`
	OK     bool    `json:"ok"`
	TookMs float64 `json:"millis"`
	Detail string  `json:"detail"`         // what it did, or what is wrong
	Todo   string  `json:"todo,omitempty"` // what to do about what is wrong
}

type doctorFlags struct {
	team    teamFlags
	timeout time.Duration
	list    cli.List
}

func newDoctor() *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor [--team NAME|FILE | --model PROVIDER:NAME]",
		Short: "Try what a solve needs, and say what does not work",
		Long: `Doctor tries for real what swarmbus solve would use with the same flags: each model
answers a question of a few tokens, each server is started and lists its tools, a fact is
written into the memory, read back and removed, a file is written in the directory of journals and synced, and a span is sent to the OTLP receiver if
an OTEL_* variable names one. It prints what works, how long it took, and what to do about
what does not. Keys and what else the variables of the team have are never shown.

Exit status: 0 if all works, 1 if anything does not.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := notEmpty(cmd); err != nil {
				return err
			}
			if f.timeout <= 0 {
				return cli.Usage(fmt.Errorf("--timeout %v is not positive", f.timeout))
			}
			return f.run(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.team.team, "team", "", "ready-made team ("+strings.Join(teams.Names(), ", ")+") or file")
	flags.StringArrayVar(&f.team.models, "model", nil, "PROVIDER:NAME; may be repeated")
	flags.StringVar(&f.team.baseURL, "base-url", "", "base URL of the models' server (default: the provider's)")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second, "time limit of each try")
	f.list.Report(flags)
	return cmd
}

// run tries everything and prints the findings, as JSON each as it is made.
func (f *doctorFlags) run(cmd *cobra.Command) error {
	d := &doctor{flags: f, team: &teams.Team{}, notes: cmd.ErrOrStderr()}
	if f.team.team != "" || len(f.team.models) > 0 {
		f.team.agents, f.team.rounds, f.team.seed = max(1, len(f.team.models)), teams.DefaultRounds, teams.DefaultSeed
		team, err := f.team.make(cmd)
		if err != nil {
			return err
		}
		d.team = team
	}
	var all cli.Table
	failed := 0
	for found := range d.all(cmd.Context()) {
		found.Detail, found.Todo = d.hide(found.Detail), d.hide(found.Todo)
		if !found.OK {
			failed++
		}
		found.row(&all)
		if f.list.JSON { // as it is made
			if err := cli.Encode(cmd.OutOrStdout(), []finding{found}); err != nil {
				return err
			}
		}
	}
	if !f.list.JSON {
		if err := all.Print(cmd.OutOrStdout(), &f.list); err != nil {
			return err
		}
	}
	if failed > 0 {
		return &cli.StatusError{Status: cli.ExitError}
	}
	return cmd.Context().Err()
}

// row adds the finding to a table, with what to do below it.
func (f *finding) row(to *cli.Table) {
	word := "ok"
	if !f.OK {
		word = "FAILED"
	}
	to.Row(word, f.Check+" "+text.Line(f.Name), fmt.Sprintf("%.0f ms", f.TookMs), text.Line(f.Detail))
	if f.Todo != "" {
		to.Row("", "", "", "→ "+text.Line(f.Todo))
	}
}

// hide replaces what the variables of the team have.
func (d *doctor) hide(text string) string {
	for _, v := range d.variables() {
		if value := strings.TrimSpace(os.Getenv(string(v))); len(value) >= 4 {
			text = strings.ReplaceAll(text, value, "$"+string(v))
		}
	}
	return text
}

// try makes a finding of what do does.
func try(check, name string, do func() (detail string, err error), todo func(error) string) finding {
	began := time.Now()
	detail, err := do()
	found := finding{Check: check, Name: name, OK: err == nil, TookMs: float64(time.Since(began).Microseconds()) / 1000, Detail: detail}
	if err != nil {
		found.Detail, found.Todo = errors.Join(err).Error(), todo(err)
	}
	return found
}
