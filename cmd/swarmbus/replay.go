package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/replay"
)

func newReplay() *cobra.Command {
	var to uint64
	var check bool
	var server serverFlag
	var as list
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Recompute the conflicts and decisions of a run",
		Long: `Replay recomputes conflicts and decisions from the votes and terms in the log, and what
was learned on the way, and compares them with those in the log. It prints each
decision, or with --check only "identical" and counts; with --json an object with the counts. A difference is an error that
names the first signal that differs. Nothing is written, called or notified.

` + aRun,
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if server.link != "" {
				return server.replay(cmd, args[0], &as)
			}
			v, err := view(args[0])
			if err != nil {
				return err
			}
			r, err := derive(cmd.Context(), cmd.OutOrStdout(), v, to, check || as.json)
			if r.Run = args[0]; err != nil {
				r.Problem = err.Error()
			}
			return errors.Join(sayReplayed(cmd.OutOrStdout(), &as, &r), err)
		},
	}
	cmd.Flags().Uint64Var(&to, "to", 0, "stop after the signal with this sequence number; 0: all")
	cmd.Flags().BoolVar(&check, "check", false, "only print whether they are identical")
	server.define(cmd.Flags())
	as.report(cmd.Flags())
	return cmd
}

func derive(ctx context.Context, w io.Writer, v *journal.View, to uint64, check bool) (of api.ReplayCheck, err error) {
	began := time.Now()
	snapshot, err := v.Snapshot()
	if err != nil {
		return of, err
	}
	r, err := replay.New(snapshot)
	if err != nil {
		return of, err
	}
	defer r.Close()
	defer func() {
		of.Identical = err == nil
		of.Signals, of.Conflicts, of.Decisions, of.Outcomes = r.Signals, r.Conflicts, r.Decisions, r.Outcomes
		of.Millis = float64(time.Since(began).Microseconds()) / 1000
	}()
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
			return of, err
		case ctx.Err() != nil:
			return of, context.Cause(ctx)
		case broken != nil:
			return of, broken
		case to > 0 && s.Head().Seq > to:
			return of, nil
		}
		if err := r.Next(s); err != nil {
			return of, err
		}
	}
	return of, broken
}

// sayReplayed says what was derived and found equal. A problem or difference is the error of who has
// found it.
func sayReplayed(w io.Writer, as *list, r *api.ReplayCheck) (err error) {
	switch {
	case as.json:
		return encode(w, []*api.ReplayCheck{r})
	case r.Identical:
		_, err = fmt.Fprintf(w, "identical: %s, %s, %s, %s\n",
			text.Plural(r.Signals, "signal"), text.Plural(r.Conflicts, "conflict"), text.Plural(r.Decisions, "decision"), text.Plural(r.Outcomes, "outcome"))
	}
	return err
}
