package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func newRetract() *cobra.Command {
	var thread, by string
	var server serverFlag
	var as cli.List
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
signal; 7 there is another one.

` + aRun,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return cli.Usage(errors.New("a run, the number of a signal and a reason are required"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := strconv.ParseUint(args[1], 10, 32)
			if err != nil || seq == 0 {
				return cli.Usage(fmt.Errorf("%q is not the number of a signal", args[1]))
			}
			if args[2], err = spoken(args[2]); err != nil {
				return err
			}
			at, err := server.archive()
			if err != nil {
				return err
			}
			before, after, err := at.retract(cmd.Context(), args[0], thread, uint(seq), by, args[2])
			if err != nil {
				return err
			}
			return sayRetracted(cmd, &as, before, after, uint(seq))
		},
	}
	cmd.Flags().StringVar(&thread, "thread", "", "thread of the solve; by default the one that has the signal")
	cmd.Flags().StringVar(&by, "by", runlog.Person, "who retracts it")
	server.define(cmd.Flags())
	as.Report(cmd.Flags())
	return cmd
}

// A retracted is what a retraction changes: the positions of claims and votes in the log.
type retracted struct {
	Run     string   `json:"run"`
	Thread  string   `json:"thread"`
	Seq     uint     `json:"seq"`
	Fall    []uint64 `json:"fall"`
	Weaken  []uint64 `json:"weaken"`
	Votes   []uint64 `json:"votes"`   // that do not count any more
	Over    bool     `json:"over"`    // the solve was decided before
	Changed bool     `json:"changed"` // and decides otherwise now
	Outcome string   `json:"outcome,omitempty"`
	Choice  string   `json:"choice,omitempty"`
}

// sayRetracted says what a retraction changes.
func sayRetracted(cmd *cobra.Command, as *cli.List, before, r *solves.Result, seq uint) error {
	w := cmd.OutOrStdout()
	effect := fallsBy(before, r)
	fallen := slices.DeleteFunc(slices.Clone(r.Fallen), func(v *signals.Signal[signals.Vote]) bool {
		return slices.ContainsFunc(before.Fallen, func(f *signals.Signal[signals.Vote]) bool { return f.ID == v.ID })
	})
	said := "The solve goes on without it."
	of := retracted{Run: cmd.Flags().Arg(0), Thread: r.Thread, Seq: seq, Fall: places(effect.Fall), Weaken: places(effect.Weaken), Votes: []uint64{}, Over: r.Revision != nil}
	if of.Over {
		of.Changed, of.Outcome, of.Choice = r.Revision.Changed, r.Revision.Decision.Outcome.String(), r.Revision.Decision.Choice
		said = transcript.Revised(r)
	}
	var err error
	if !as.JSON {
		err = printEffect(w, fmt.Sprintf("Without [%d]", seq), effect)
	}
	for _, v := range fallen {
		if of.Votes = append(of.Votes, v.Seq); !as.JSON {
			fmt.Fprintf(w, "  the vote [%d] of %s on %s does not count\n", v.Seq, text.Printable(v.Source), text.Printable(v.Payload.ProposalID))
		}
	}
	if as.JSON {
		err = cli.Encode(w, []retracted{of})
	} else if err == nil {
		_, err = fmt.Fprintln(w, said)
	}
	if err != nil || !of.Changed {
		return err
	}
	if r.Revision.Decision.Choice == "" {
		return &cli.StatusError{Status: cli.ExitNoConsensus}
	}
	return &cli.StatusError{Status: cli.ExitChanged}
}

// fallsBy returns what falls by what a result has taken back and an earlier one has not, with the
// votes that counted then: the later one has none that are taken back. What stands by votes that
// count in their place, such as later answers of the same agent, does not fall.
func fallsBy(before, after *solves.Result) claims.Effect {
	was, is, now := before.Claims().Retracted(), claims.Of(after.Log, before.Proposals).Retracted(), after.Claims()
	stands := besides(slices.Collect(now.All()), now.Retracted().Fall)
	return claims.Effect{Fall: besides(besides(is.Fall, was.Fall), stands), Weaken: besides(is.Weaken, was.Weaken)}
}

// places returns the positions of claims in the log.
func places(all []claims.Claim) []uint64 {
	at := []uint64{}
	for _, c := range all {
		at = append(at, c.Seq)
	}
	return at
}

// besides returns the claims that are not among some.
func besides(all, some []claims.Claim) []claims.Claim {
	return slices.DeleteFunc(all, func(c claims.Claim) bool { return slices.Contains(some, c) })
}
