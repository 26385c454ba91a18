package swarm

import (
	"cmp"
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// Fold adds a signal of a log to a round if it is a proposal or a vote; other
// kinds change nothing. A vote without a weight has its header's confidence as
// weight; weight, in [0,1], is a factor on either.
func Fold(r *consensus.Round, s signals.Any, weight float64) error {
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		return r.Propose(s.Payload.ProposalID)
	case *signals.Signal[signals.Vote]:
		return r.Vote(consensus.Vote{
			Seq: s.Seq, Voter: s.Source, ProposalID: s.Payload.ProposalID, Stance: consensus.Stance(s.Payload.Stance),
			Weight: cmp.Or(s.Payload.Weight, s.Confidence) * weight, Reasoning: s.Payload.Reasoning,
			CausalLevel: consensus.CausalLevel(s.CausalLevel),
		})
	}
	return nil
}

// fold folds the next signal of the log.
func (r *solve) fold(ctx context.Context, s signals.Any) {
	if seat := r.byID[s.Head().Source]; seat != nil {
		seat.spoke(s)
	}
	r.repeats.add(s, r.proposals)
	r.route(ctx, s)
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		r.made = append(r.made, s)
		r.count(s)
	case *signals.Signal[signals.Vote]:
		r.count(s)
	case *signals.Signal[agents.Passed]:
		r.result.Passed = append(r.result.Passed, passed(s))
	case *signals.Signal[Same]:
		r.aliases[s.Payload.ProposalID] = s.Payload.As
		r.again()
	case *signals.Signal[signals.Conflict]:
		r.foldConflict(ctx, s)
	case *signals.Signal[conflict.Resolution]:
		ended := func(p conflict.Pair) bool {
			a, b := p.A.Signal, p.B.Signal
			return s.Payload.SignalA == a && s.Payload.SignalB == b || s.Payload.SignalA == b && s.Payload.SignalB == a
		}
		r.disputes, r.needless = slices.DeleteFunc(r.disputes, ended), slices.DeleteFunc(r.needless, ended)
	case *signals.Signal[signals.Escalation]:
		if r.escalated == nil {
			r.escalated = s
		}
		agents.Note(ctx, s)
	case *signals.Signal[Answered]:
		r.escalated = nil
		r.enfranchise(s.Payload.By)
	}
}

// count folds a proposal or vote into the round.
func (r *solve) count(s signals.Any) {
	if err := r.weigh(s); err != nil {
		r.stop(StopError, "a proposal or vote was not accepted", err)
	}
	r.yield(Weighed{r.votes.Decision()})
}

// weigh adds a proposal or vote to the round, under the id that it counts
// under.
func (r *solve) weigh(s signals.Any) error {
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		id := s.Payload.ProposalID
		waiting := r.proposals.of(id) == nil && r.proposals.waits(id)
		r.proposals.propose(s, r.aliases[id])
		if waiting {
			return r.recount() // there were already votes on it
		}
		if r.proposals.of(id).ID() == id {
			return Fold(r.votes, s, 1)
		}
	case *signals.Signal[signals.Vote]:
		return r.weighVote(s)
	}
	return nil
}

func (r *solve) weighVote(v *signals.Signal[signals.Vote]) error {
	id, ok := r.proposals.vote(v)
	if !ok {
		return nil
	}
	weight, agent := r.weights[v.Source]
	if !agent {
		weight = 1 // not in the electorate, as the ballots report
	}
	counted := v.Payload
	counted.ProposalID = id
	return Fold(r.votes, signals.New(v.Header, counted), weight)
}

// recount folds the log anew, the proposals first, so that no vote precedes its
// proposal.
func (r *solve) recount() (err error) {
	if r.votes, err = consensus.NewRound(r.by, r.terms); err != nil {
		return err
	}
	r.proposals, r.quorum, r.resized = newStandings(), 0, true
	for _, p := range r.made {
		if err := r.weigh(p); err != nil {
			return err
		}
	}
	for _, s := range r.result.Log {
		if s.Kind() != signals.KindVote {
			continue
		}
		if err := r.weigh(s); err != nil {
			return err
		}
	}
	return nil
}

// again recounts because two proposals turned out to be the same.
func (r *solve) again() {
	if err := r.recount(); err != nil {
		r.stop(StopError, "a proposal or vote was not accepted", err)
	}
	r.yield(Weighed{r.votes.Decision()})
}

// foldConflict records a conflict between two proposals, unless they are the
// same.
func (r *solve) foldConflict(ctx context.Context, c *signals.Signal[signals.Conflict]) {
	a, b := r.rival(c.Payload.SignalA), r.rival(c.Payload.SignalB)
	if a == nil || b == nil {
		return
	}
	pair := conflict.Pair{Thread: r.result.Thread, A: *a, B: *b}
	if r.one(pair) {
		r.needless = append(r.needless, pair)
		return
	}
	r.result.Conflicts = append(r.result.Conflicts, pair)
	r.disputes = append(r.disputes, pair)
	agents.Note(ctx, pair)
}

// rival returns the proposal of that signal, or nil.
func (r *solve) rival(id signals.ID) *conflict.Proposal {
	for _, p := range r.made {
		if p.ID == id {
			return &conflict.Proposal{
				Signal: p.ID, Seq: p.Seq, Source: p.Source, ProposalID: p.Payload.ProposalID, Content: p.Payload.Content,
			}
		}
	}
	return nil
}

// one reports whether both proposals of a conflict are the same.
func (r *solve) one(p conflict.Pair) bool { return r.proposals.of(p.A.ProposalID).Is(p.B.ProposalID) }

// resolveNeedless publishes resolutions of conflicts between proposals that are
// the same.
func (r *solve) resolveNeedless(ctx context.Context) {
	for _, p := range r.disputes {
		if r.one(p) {
			r.needless = append(r.needless, p)
			r.result.Conflicts = slices.DeleteFunc(r.result.Conflicts, func(q conflict.Pair) bool { return p == q })
		}
	}
	needless := r.needless
	r.needless = nil
	for _, p := range needless {
		r.resolve(ctx, p, "both propose the same")
	}
}

func (r *solve) resolve(ctx context.Context, p conflict.Pair, why string) {
	r.announce(ctx, signals.New(
		signals.Header{Confidence: 1, ReplyTo: p.B.Signal},
		conflict.Resolution{SignalA: p.A.Signal, SignalB: p.B.Signal, Reason: why},
	))
}

// compare calls Options.Same for a new proposal and the earlier ones, and
// publishes the result if it is the same as one.
func (r *solve) compare(ctx context.Context, p signals.Proposal) {
	if r.opts.Same == nil || r.result.Stop != 0 {
		return
	}
	own := r.proposals.of(p.ProposalID)
	if own == nil || own.ID() != p.ProposalID || len(own.Same) > 0 {
		return // already the same, or repeated
	}
	for _, other := range r.proposals.show("") {
		if other.ID() != p.ProposalID && r.opts.Same(ctx, other.Proposal.Payload, p) {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, ReplyTo: own.Proposal.ID}, Same{p.ProposalID, other.ID()}))
			return
		}
	}
}
