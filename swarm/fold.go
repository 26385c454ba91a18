package swarm

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// drain folds what is new in the log.
func (r *solve) drain(ctx context.Context) {
	for s, _ := r.log.Poll(); s != nil; s, _ = r.log.Poll() {
		r.yield(Spoke{s})
		r.apply(ctx, s)
	}
}

// apply takes the next signal of the log.
func (r *solve) apply(ctx context.Context, s signals.Any) {
	if seat := r.byID[s.Head().Source]; seat != nil && s.Kind() != coordination.KindTransition {
		seat.spoke(s)
	}
	r.route(ctx, s)
	for _, seat := range r.seats {
		seat.time(s, r.result.Seed)
	}
	before := r.thread.Mark()
	r.thread.Apply(s)
	if err := r.thread.Votes.Err(); err != nil {
		r.stop(StopError, "a proposal or vote was not accepted", err)
	}
	now := r.thread.Mark()
	if now.Votes != before.Votes {
		r.yield(Weighed{r.votes().Decision()})
	}
	if now.Conflict != before.Conflict && !r.thread.Conflicts.IsNeedless(now.Conflict) {
		agents.Note(ctx, now.Conflict)
	}
	if s.Kind() == signals.KindEscalation {
		agents.Note(ctx, s)
	}
}

// votes returns the votes so far.
func (r *solve) votes() *consensus.Round { return r.thread.Votes.Round() }

// options returns what the votes count by, beside the strategy.
func (r *solve) options() *consensus.Options {
	_, o := r.thread.Votes.Terms()
	return o
}

// countBy counts the votes by a strategy with options.
func (r *solve) countBy(by consensus.Strategy, o *consensus.Options) error {
	r.resized = true
	return r.thread.Votes.CountBy(by, o, r.weights)
}

// resolveNeedless publishes resolutions of conflicts between proposals that are
// the same.
func (r *solve) resolveNeedless(ctx context.Context) {
	for _, p := range r.thread.Conflicts.Needless() {
		r.resolve(ctx, p, conflict.BySameness, signals.ID{}, "both propose the same")
	}
}

// compare calls Options.Same for a new proposal and the earlier ones, and
// publishes the result if it is the same as one.
func (r *solve) compare(ctx context.Context, p signals.Proposal) {
	if r.opts.Same == nil || r.result.Stop != 0 {
		return
	}
	own := r.thread.Votes.Of(p.ProposalID)
	if own == nil || own.ID() != p.ProposalID || len(own.Same) > 0 {
		return // already the same, or repeated
	}
	for _, other := range r.thread.Votes.Show("") {
		if other.ID() == p.ProposalID {
			continue
		}
		same, err := r.same(ctx, other.Proposal.Payload, p)
		if err != nil {
			r.stop(StopError, "the proposals could not be compared", err)
			return
		}
		if same {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, ReplyTo: own.Proposal.ID}, runlog.Same{ProposalID: p.ProposalID, As: other.ID()}))
			return
		}
	}
}

// same calls Options.Same and recovers from a panic.
func (r *solve) same(ctx context.Context, earlier, later signals.Proposal) (_ bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("swarm: Options.Same panicked: %v", v)
		}
	}()
	return r.opts.Same(ctx, earlier, later), nil
}
