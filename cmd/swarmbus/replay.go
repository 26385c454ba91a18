package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/replay"
)

func newReplay() *cobra.Command {
	var to uint64
	var check bool
	var server serverFlag
	var as cli.List
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Recompute the conflicts and decisions of a run",
		Long: `Replay recomputes conflicts and decisions from the votes and terms in the log, and what
was learned on the way, and compares them with those in the log. It prints each
decision, or with --check only "identical" and counts; with --json an object with the counts. A difference is an error that
names the first signal that differs. Nothing is written, called or notified.

` + aRun,
		Args: cli.OneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := server.archive()
			if err != nil {
				return err
			}
			r, err := at.replay(cmd.Context(), args[0], to, func(r *replay.Replay) {
				if check || as.JSON {
					return
				}
				r.Decided = func(thread, terms string, d consensus.Decision) {
					fmt.Fprintf(cmd.OutOrStdout(), "%q by %s: %v\n", thread, terms, d)
				}
			})
			if err != nil {
				return err
			}
			return sayReplayed(cmd.OutOrStdout(), &as, &r)
		},
	}
	cmd.Flags().Uint64Var(&to, "to", 0, "stop after the signal with this sequence number; 0: all")
	cmd.Flags().BoolVar(&check, "check", false, "only print whether they are identical")
	server.define(cmd.Flags())
	as.Report(cmd.Flags())
	return cmd
}

// sayReplayed says what was derived and found equal. A problem or difference is an error.
func sayReplayed(w io.Writer, as *cli.List, r *api.ReplayCheck) (err error) {
	switch {
	case as.JSON:
		err = cli.Encode(w, []*api.ReplayCheck{r})
	case r.Identical:
		_, err = fmt.Fprintf(w, "identical: %s, %s, %s, %s\n",
			text.Plural(r.Signals, "signal"), text.Plural(r.Conflicts, "conflict"), text.Plural(r.Decisions, "decision"), text.Plural(r.Outcomes, "outcome"))
	}
	switch d := r.Difference; {
	case d != nil:
		return errors.Join(err, &replay.Difference{Seq: d.Seq, Thread: d.Thread, What: d.What, Log: d.A, Derived: d.B})
	case r.Problem != "":
		return errors.Join(err, errors.New(r.Problem))
	}
	return err
}
