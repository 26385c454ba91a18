package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/replay"
)

func newReplay() *cobra.Command {
	var to uint64
	var check bool
	var server serverFlag
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Recompute the conflicts and decisions of a run",
		Long: `Replay recomputes conflicts and decisions from the votes and terms in the log, and what
was learned on the way, and compares them with those in the log. It prints each
decision, or with --check only "identical" and counts. A difference is an error that
names the first signal that differs. Nothing is written, called or notified.

` + aRun,
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if server.link != "" {
				return server.replay(cmd, args[0])
			}
			v, err := view(args[0])
			if err != nil {
				return err
			}
			return derive(cmd.Context(), cmd.OutOrStdout(), v, to, check)
		},
	}
	cmd.Flags().Uint64Var(&to, "to", 0, "stop after the signal with this sequence number; 0: all")
	cmd.Flags().BoolVar(&check, "check", false, "only print whether they are identical")
	server.define(cmd.Flags())
	return cmd
}

func derive(ctx context.Context, w io.Writer, v *journal.View, to uint64, check bool) error {
	snapshot, err := v.Snapshot()
	if err != nil {
		return err
	}
	r, err := replay.New(snapshot)
	if err != nil {
		return err
	}
	defer r.Close()
	var broken error
	if !check {
		r.Decided = func(thread, terms string, d consensus.Decision) {
			_, err := fmt.Fprintf(w, "%q by %s: %v\n", thread, terms, d)
			broken = errors.Join(broken, err)
		}
	}
	for s, err := range said(ctx, v, new(bus.Filter), false) {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case broken != nil:
			return broken
		case to > 0 && s.Head().Seq > to:
			return identical(w, r)
		}
		if err := r.Next(s); err != nil {
			return err
		}
	}
	return identical(w, r)
}

func identical(w io.Writer, r *replay.Replay) error {
	return sayIdentical(w, r.Signals, r.Conflicts, r.Decisions, r.Outcomes)
}

func sayIdentical(w io.Writer, signals, conflicts, decisions, outcomes int) error {
	_, err := fmt.Fprintf(w, "identical: %s, %s, %s, %s\n",
		text.Plural(signals, "signal"), text.Plural(conflicts, "conflict"), text.Plural(decisions, "decision"), text.Plural(outcomes, "outcome"))
	return err
}
