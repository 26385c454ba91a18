package solves

import (
	"context"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Tell records in the journal of a swarm that is not open which proposal of a solve turned out to be right, "" for none
// of them, as [swarm.Swarm.RecordOutcome] does in one that is: the swarm that opens the journal next has learned it. It
// may be called again; the last call counts. The error is a [*signals.FieldError] for a proposal that nobody made, and
// for a solve from whose votes nothing was learned.
func Tell(ctx context.Context, j journal.Store, thread, right string) error {
	r, err := resultOf(j, thread)
	if err != nil {
		return err
	}
	if r.Observed == "" {
		return &signals.FieldError{Field: "thread", Value: thread, Problem: "its votes are in no ledger, so that an outcome teaches nothing"}
	}
	right, proposed := r.Proposed(right)
	if !proposed && right != "" {
		return &signals.FieldError{Field: "right", Value: right, Problem: "nobody proposed it"}
	}
	l, err := read(j, thread)
	if err != nil {
		return err
	}
	told := runlog.Outcome{ProposalID: right, Observed: r.Observed}
	return l.say(ctx, j, signals.New(signals.Header{Thread: thread, Confidence: 1, TTL: runlog.Forever}, told))
}
