package swarm

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// fold takes the next signal of the log.
func (r *solve) fold(ctx context.Context, s signals.Any) {
	r.result.Log = append(r.result.Log, s)
	r.yield(Spoke{s})
	if seat := r.byID[s.Head().Source]; seat != nil {
		seat.spoke(s)
	}
	switch s := s.(type) {
	case *signals.Signal[signals.Proposal]:
		r.foldProposal(s)
	case *signals.Signal[signals.Vote]:
		r.proposals.vote(s)
		r.weigh(s)
	case *signals.Signal[signals.Conflict]:
		r.foldConflict(ctx, s)
	case *signals.Signal[signals.Escalation]:
		r.escalated = s
		agents.Note(ctx, s)
	}
}

func (r *solve) foldProposal(p *signals.Signal[signals.Proposal]) {
	r.result.Proposals = append(r.result.Proposals, p)
	r.proposals.propose(p)
	r.weigh(p)
}

// weigh folds a proposal or vote into the votes.
func (r *solve) weigh(s signals.Any) {
	weight, agent := r.weights[s.Head().Source]
	if !agent {
		weight = 1 // not in the electorate; the votes say so
	}
	if err := Fold(r.votes, s, weight); err != nil {
		r.stop(StopError, "a proposal or vote was not accepted", err)
	}
	r.yield(Weighed{r.votes.Decision()})
}

func (r *solve) foldConflict(ctx context.Context, c *signals.Signal[signals.Conflict]) {
	for pair := range r.swarm.bus.Conflicts(r.result.Thread) {
		if pair.ID() == c.ID {
			r.result.Conflicts = append(r.result.Conflicts, pair)
			agents.Note(ctx, pair)
		}
	}
}

// decide stops the solve if what is committed is a reason to, whatever the
// turns that are left come to.
func (r *solve) decide(ctx context.Context, left []*turn) {
	d, end := r.ask(ctx)
	defer end(d, nil)
	switch {
	case r.escalated != nil:
		r.stop(StopEscalated, r.escalated.Payload.Reason, nil)
	case d.Final() && r.stands(left):
		r.stop(stopFor(d.Outcome), d.Reason(), nil)
	case r.said == r.opts.Signals:
		r.stop(StopBudget, fmt.Sprintf("%d signals", r.said), nil)
	}
}

// ask evaluates the votes. The caller calls end when it knows what follows.
func (r *solve) ask(ctx context.Context) (d consensus.Decision, end agents.End) {
	_, end = agents.Start(ctx, agents.Op{
		Name: agents.OpConsensus, Target: r.by.Name(), Thread: r.result.Thread, Round: r.result.Rounds,
	})
	return r.votes.Decision(), end
}

// stands reports whether a final decision survives whatever the agents with
// turns left say: votes and proposals, as many as they may.
func (r *solve) stands(left []*turn) bool {
	rest := consensus.Left{Voters: []string{}, Weights: r.weights}
	for _, t := range left {
		if t.seat.agent.May(signals.KindVote) {
			rest.Voters = append(rest.Voters, t.seat.agent.ID)
		}
		if t.seat.agent.May(signals.KindProposal) {
			rest.Proposals += r.opts.TurnSignals
		}
	}
	return consensus.Settled(r.by, r.votes.Ballots(), rest)
}

// exhausted stops a solve in which nobody has anything left to hear.
func (r *solve) exhausted(ctx context.Context) {
	r.votes.Close()
	d, end := r.ask(ctx)
	defer end(d, nil)
	if d.Voters == 0 {
		r.stop(StopNoProgress, "nobody had anything to say", nil)
		return
	}
	r.stop(stopFor(d.Outcome), d.Reason(), nil)
}

// escalateConflicts stops a solve that may not settle its conflicts by vote.
func (r *solve) escalateConflicts(ctx context.Context) {
	if r.opts.Conflicts != EscalateConflicts || r.result.Stop != 0 || len(r.result.Conflicts) == 0 {
		return
	}
	first := r.result.Conflicts[0]
	r.announce(ctx, signals.New(
		signals.Header{ReplyTo: first.B.Signal, Confidence: 1},
		signals.Escalation{
			Reason:  fmt.Sprintf("proposals %s and %s cannot both stand", first.A.ProposalID, first.B.ProposalID),
			Context: r.result.Task.Task,
		},
	))
	r.decide(ctx, nil)
}
