package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// A form says how the events of a solve are printed.
type form struct{ json, log bool }

func (f *form) define(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "print events as JSON, one object per line")
	flags.BoolVar(&f.log, "log", false, "print only the log, as JSON, one signal per line")
}

func (f *form) check() error {
	if f.json && f.log {
		return cli.Usage(errors.New("--json and --log exclude each other"))
	}
	return nil
}

// A screen shows a solve while it runs.
type screen struct {
	form
	out, notes io.Writer
	live       *live
	budget     *limits.Budget // of which it shows how much is used; nil: none
	most       limits.Spend
}

// newScreen returns the screen of a command. What passes, such as what an agent is saying, is on a
// terminal alone.
func newScreen(cmd *cobra.Command, f form) *screen {
	return &screen{form: f, out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(), live: newLive(cmd.ErrOrStderr())}
}

// within has the screen show how much of the budget of a team is used, if it has one.
func (s *screen) within(t *teams.Team, budget *limits.Budget) {
	if most, err := t.Budget.Most(); err == nil && t.Budget != "" {
		s.budget, s.most = budget, most
	}
}

// show prints the events of a solve, and returns the status of its result, after which it calls
// stopped. Events follow if that says so.
func (s *screen) show(events iter.Seq2[solves.Event, error], stopped func(*solves.Result) (goesOn bool)) error {
	show := transcript.Text(s.out, cli.LookOf(s.out, os.Environ(), 0))
	switch {
	case s.json:
		show = transcript.JSON(s.out)
	case s.log:
		show = transcript.Log(s.out)
	}
	defer s.live.run(s.spending())()
	for e, err := range events {
		if err != nil {
			return err
		}
		if p, ok := e.(solves.Saying); ok {
			s.live.says(p)
			continue
		}
		s.live.clear()
		if err := show(e); err != nil {
			return err
		}
		if of, ok := e.(solves.Stopped); ok {
			if !s.json && !s.log {
				if err := revised(s.out, of.Result); err != nil {
					return err
				}
			}
			if !stopped(of.Result) {
				return s.status(of.Result)
			}
		}
		s.live.shown(e)
	}
	return errors.New("the solve ended without a result")
}

// status prints what the budget says, which has more than the answers took, and returns the status
// of a result: where the budget refused calls, a team that did not decide had none left.
func (s *screen) status(r *solves.Result) error {
	err := statusOf(r)
	if s.budget == nil {
		return err
	}
	account := s.budget.Account()
	fmt.Fprintln(s.notes, booked(account))
	var status *cli.StatusError
	if errors.As(err, &status) && status.Status == cli.ExitNoConsensus && account.Refused > 0 {
		status.Status = cli.ExitBudget
	}
	return err
}

// spending returns what says how much of the budget is used; nil: there is none.
func (s *screen) spending() func() string {
	if s.budget == nil {
		return nil
	}
	return func() string { return used(s.budget.Account(), s.most) }
}

// statusOf is the exit status of a result, nil for one that was decided.
func statusOf(r *solves.Result) error {
	switch r.Stop {
	case runlog.StopConsensus:
		return nil
	case runlog.StopSettled, runlog.StopContested, runlog.StopAnswered:
		return &cli.StatusError{Status: cli.ExitContested}
	case runlog.StopBudget, runlog.StopDeadline:
		return &cli.StatusError{Status: cli.ExitBudget}
	case runlog.StopEscalated, runlog.StopAsked:
		return &cli.StatusError{Status: cli.ExitEscalated}
	case runlog.StopCancelled, runlog.StopAbandoned:
		return &cli.StatusError{Status: cli.ExitCancelled}
	case runlog.StopError:
		if model := (*models.Error)(nil); errors.As(r.Err, &model) {
			return &cli.StatusError{Status: cli.ExitError, Err: fmt.Errorf("%w\nswarmbus doctor, with the same --team or --model, says what to do", r.Err)}
		}
		return &cli.StatusError{Status: cli.ExitError, Err: r.Err}
	default:
		return &cli.StatusError{Status: cli.ExitNoConsensus}
	}
}
