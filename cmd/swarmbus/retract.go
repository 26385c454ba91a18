package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func newRetract() *cobra.Command {
	var thread, by string
	var server serverFlag
	cmd := &cobra.Command{
		Use:   "retract RUN SIGNAL REASON",
		Short: "Retract a signal of a recorded solve, and say whether its decision changes",
		Long: `Retract records that a signal of a run does not hold: a finding, an argument, a vote, or the
reason of a proposal, by its number in the transcript. Claims that rest on it alone no longer
count. The decision of a solve that is over stays on record, and the command says whether the
votes that still count decide the same; a solve that runs goes on without the signal. A run
that a server is writing is changed with --server. swarmbus show --without says what would
fall, and records nothing.

Exit status: 0 the decision stays, or the solve goes on; 3 there is no decision without the
signal; 7 there is another one.` + aRun,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return usage(errors.New("a run, the number of a signal and a reason are required"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := strconv.ParseUint(args[1], 10, 32)
			if err != nil || seq == 0 {
				return usage(fmt.Errorf("%q is not the number of a signal", args[1]))
			}
			if server.link != "" {
				return server.retract(cmd, args[0], thread, uint(seq), by, args[2])
			}
			return retractIn(cmd, args[0], thread, uint(seq), by, args[2])
		},
	}
	cmd.Flags().StringVar(&thread, "thread", "", "thread of the solve; by default the one that has the signal")
	cmd.Flags().StringVar(&by, "by", runlog.Person, "who retracts it")
	server.define(cmd.Flags())
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
	before, err := resultWith(file, thread, seq)
	if err != nil {
		return err
	}
	ids, err := idsAt(before, seq)
	if err != nil {
		return err
	}
	r, err := solves.Retract(cmd.Context(), file, before.Thread, ids[0], by, reason)
	if err != nil {
		return usage(err)
	}
	return sayRetracted(cmd, before, r, seq)
}

// retract lets the server take back a signal of a run that it writes.
func (f *serverFlag) retract(cmd *cobra.Command, run, thread string, seq uint, by, reason string) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	log := c.Log(cmd.Context(), run)
	before, err := resultWith(log, thread, seq)
	if err != nil {
		return err
	}
	r := api.Retraction{Seq: uint64(seq), Reason: reason}
	if cmd.Flags().Changed("by") {
		r.By = by
	}
	if _, err := c.Retract(cmd.Context(), run+"."+before.Thread, r); err != nil {
		return err
	}
	after, err := resultIn(log, before.Thread)
	if err != nil {
		return err
	}
	return sayRetracted(cmd, before, after, seq)
}

// sayRetracted says what a retraction changes.
func sayRetracted(cmd *cobra.Command, before, r *solves.Result, seq uint) error {
	w := cmd.OutOrStdout()
	if err := printEffect(w, fmt.Sprintf("Without [%d]", seq), fallsBy(before, r)); err != nil {
		return err
	}
	for _, v := range r.Fallen {
		if !slices.ContainsFunc(before.Fallen, func(f *signals.Signal[signals.Vote]) bool { return f.ID == v.ID }) {
			fmt.Fprintf(w, "  the vote [%d] of %s on %s does not count\n", v.Seq, text.Printable(v.Source), text.Printable(v.Payload.ProposalID))
		}
	}
	said := "The solve goes on without it."
	if r.Revision != nil {
		said = transcript.Revised(r)
	}
	if _, err := fmt.Fprintln(w, said); err != nil || r.Revision == nil || !r.Revision.Changed {
		return err
	}
	if r.Revision.Decision.Choice == "" {
		return &statusError{status: exitNoConsensus}
	}
	return &statusError{status: exitChanged}
}

// fallsBy returns what falls by what a result has taken back and an earlier one has not, with the
// votes that counted then: the later one has none that are taken back. What stands by votes that
// count in their place, such as later answers of the same agent, does not fall.
func fallsBy(before, after *solves.Result) claims.Effect {
	was, is, now := before.Claims().Retracted(), claims.Of(after.Log, before.Proposals).Retracted(), after.Claims()
	stands := besides(slices.Collect(now.All()), now.Retracted().Fall)
	return claims.Effect{Fall: besides(besides(is.Fall, was.Fall), stands), Weaken: besides(is.Weaken, was.Weaken)}
}

// besides returns the claims that are not among some.
func besides(all, some []claims.Claim) []claims.Claim {
	return slices.DeleteFunc(all, func(c claims.Claim) bool { return slices.Contains(some, c) })
}
