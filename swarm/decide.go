package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// decide stops the solve if what is committed is a reason to, whatever the
// turns that are left come to.
func (r *solve) decide(ctx context.Context, left []*turn) {
	if r.result.Stop != 0 {
		return
	}
	d, end := r.ask(ctx)
	defer end(d, nil)
	switch {
	case d.Final() && !r.withheld(left) && r.stands(left):
		r.stop(stopFor(d.Outcome), d.Reason(), nil)
	case r.said == r.opts.Signals && r.escalated == nil:
		r.stop(StopBudget, fmt.Sprintf("all %s of a solve are said", plural(r.said, "signal")), nil)
	}
}

// ask evaluates the votes. The caller calls end when it knows what follows.
func (r *solve) ask(ctx context.Context) (d consensus.Decision, end agents.End) {
	_, end = agents.Start(ctx, agents.Op{
		Name: agents.OpConsensus, Target: r.by.Name(), Thread: r.result.Thread, Round: r.result.Rounds,
	})
	r.requorum()
	return r.votes.Decision(), end
}

// requorum asks for more than half of those who vote or were asked to. An agent
// that may say anything counts until it had something to vote on and did not.
func (r *solve) requorum() {
	if r.opts.Quorum > 0 {
		return
	}
	n := 0
	for _, s := range r.seats {
		asked := !s.stopped && (s.agent.CanEmit != nil || !s.asked)
		if s.agent.May(signals.KindVote) && (asked || r.voted[s.agent.ID]) {
			n++
		}
	}
	r.quorum = quorumOf(n)
	r.votes.SetQuorum(r.quorum)
}

// withheld reports whether a decision has to wait until everybody of the round
// was heard: somebody asks, or may still ask, somebody outside.
func (r *solve) withheld(left []*turn) bool {
	escalates := func(k signals.Kind) bool {
		return slices.ContainsFunc(left, func(t *turn) bool { return t.seat.agent.May(k) })
	}
	if r.escalated != nil || escalates(signals.KindEscalation) {
		return true
	}
	return r.opts.Conflicts == EscalateConflicts && (r.disputed() || escalates(signals.KindProposal))
}

// stands reports whether a final decision survives whatever the agents with
// turns left say: votes and proposals, as many as they may.
func (r *solve) stands(left []*turn) bool {
	rest := consensus.Left{Voters: []string{}, Weights: r.weights}
	for _, t := range left {
		if t.seat.agent.May(signals.KindVote) {
			rest.Voters = append(rest.Voters, t.Agent)
		}
		if t.seat.agent.May(signals.KindProposal) {
			rest.Proposals += r.opts.TurnSignals
		}
	}
	return consensus.Settled(r.by, r.votes.Ballots(), rest)
}

// roundOver stops a solve in which somebody outside has to look. Everybody of
// the round was heard before, in whatever order they came.
func (r *solve) roundOver(ctx context.Context) {
	if r.result.Stop == 0 && r.escalated == nil && r.opts.Conflicts == EscalateConflicts && r.disputed() {
		r.escalate(ctx)
	}
	if r.escalated != nil {
		r.stop(StopEscalated, r.escalated.Payload.Reason, nil)
	}
}

// disputed reports whether a conflict is open.
func (r *solve) disputed() bool { return len(r.disputes) > 0 }

// escalate asks somebody outside about the first open conflict.
func (r *solve) escalate(ctx context.Context) {
	first := r.disputes[0]
	r.announce(ctx, signals.New(
		signals.Header{ReplyTo: first.B.Signal, Confidence: 1},
		signals.Escalation{
			Reason:  fmt.Sprintf("proposals %s and %s cannot both stand", first.A.ProposalID, first.B.ProposalID),
			Context: r.result.Task.Task,
		},
	))
}

// exhausted stops a solve in which nobody has anything left to hear.
func (r *solve) exhausted(ctx context.Context) {
	if r.timeIsUp(ctx) && slices.ContainsFunc(r.seats, func(s *seat) bool { return s.turn != nil }) {
		r.interrupted(ctx) // somebody left behind may have had something to say
		return
	}
	r.votes.Close()
	d, end := r.ask(ctx)
	defer end(d, nil)
	switch {
	case d.Voters > 0:
		r.stop(stopFor(d.Outcome), d.Reason(), nil)
	case r.broken() && errors.Is(errorsOf(r.failures()), agents.ErrBudget):
		r.stop(StopBudget, "nobody may spend any more", nil)
	case r.broken():
		r.stop(StopError, "no agent could take its turn", errorsOf(r.failures()))
	case r.timeIsUp(ctx):
		r.interrupted(ctx)
	default:
		r.stop(StopNoProgress, r.silence(), nil)
	}
}
