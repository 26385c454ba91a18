package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func newRetract() *cobra.Command {
	var thread, by string
	cmd := &cobra.Command{
		Use:   "retract RUN SIGNAL REASON",
		Short: "Take back a signal of a recorded solve, and say whether its decision changes",
		Long: `Retract records that a signal of a run does not hold: a finding, an argument, a vote, or
the reason of a proposal, by its number in the transcript. What rests on nothing else does
not count any more. If the solve is over, its decision stays on record, and the command
says whether the votes that still count decide the same. A solve that goes on goes on
without the signal.

swarmbus show --without says what would fall, and records nothing.

` + aRun,
		Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := strconv.ParseUint(args[1], 10, 32)
			if err != nil || seq == 0 {
				return usage(fmt.Errorf("%q is no number of a signal", args[1]))
			}
			return retractIn(cmd, args[0], thread, uint(seq), by, args[2])
		},
	}
	cmd.Flags().StringVar(&thread, "thread", "", "thread of the solve, in a run with several")
	cmd.Flags().StringVar(&by, "by", runlog.Person, "name of who takes it back")
	return cmd
}

func retractIn(cmd *cobra.Command, run, thread string, seq uint, by, reason string) (err error) {
	path, err := runs.Path(run)
	if err != nil {
		return err
	}
	file, err := journal.Open(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if thread == "" {
		threads, err := threadsOf(cmd.Context(), file)
		switch {
		case err != nil:
			return err
		case len(threads) != 1:
			return usage(fmt.Errorf("the run has %d threads: name one with --thread", len(threads)))
		}
		thread = threads[0].thread
	}
	before, err := resultIn(file, thread)
	if err != nil {
		return err
	}
	ids, err := idsAt(before, seq)
	if err != nil {
		return err
	}
	r, err := solves.Retract(cmd.Context(), file, thread, ids[0], by, reason)
	if err != nil {
		return usage(err)
	}
	return sayRetracted(cmd, r, seq)
}

// sayRetracted says what a retraction changes.
func sayRetracted(cmd *cobra.Command, r *solves.Result, seq uint) error {
	w := cmd.OutOrStdout()
	if err := printEffect(w, fmt.Sprintf("Without [%d]", seq), r.Claims().Retracted()); err != nil {
		return err
	}
	for _, v := range r.Fallen {
		fmt.Fprintf(w, "  the vote [%d] of %s on %s does not count\n", v.Seq, transcript.Printable(v.Source), transcript.Printable(v.Payload.ProposalID))
	}
	if r.Revision == nil {
		_, err := fmt.Fprintln(w, "The solve goes on without it.")
		return err
	}
	_, err := fmt.Fprintln(w, transcript.Revised(r.Revision, r.Decision))
	return err
}
