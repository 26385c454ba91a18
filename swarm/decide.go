package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// decide stops the solve if the committed signals are a reason to, whatever the
// result of the remaining turns.
func (r *solve) decide(ctx context.Context, left []*turn) {
	if r.result.Stop != 0 {
		return
	}
	d, end := r.ask(ctx)
	defer end(d, nil)
	switch {
	case d.Final() && r.withholds(d) == "" && !r.withheld(d, left) && r.stands(left):
		d = r.endDebate(ctx, d)
		r.stop(runlog.StopFor(d.Outcome), d.Reason(), nil)
	case r.said == r.opts.Signals && r.thread.Stage.Asked == nil:
		r.stop(StopBudget, fmt.Sprintf("the limit of %s in a solve is reached", plural(r.said, "signal")), nil)
	}
}

// ask evaluates the votes. The caller must call end when it knows what follows.
func (r *solve) ask(ctx context.Context) (d consensus.Decision, end agents.End) {
	by, _ := r.thread.Votes.Terms()
	_, end = agents.Start(ctx, agents.Op{
		Name: agents.OpConsensus, Target: by.Name(), Thread: r.result.Thread, Round: r.result.Rounds,
	})
	r.requorum()
	d = r.votes().Decision()
	if why := r.obstacles(); why != "" && d.Outcome == consensus.Reached {
		d.Note = strings.TrimPrefix(d.Note+"; withheld: "+why, "; ")
	}
	return d, end
}

// requorum sets the default quorum of the agents that no route has stopped.
func (r *solve) requorum() {
	if r.opts.Quorum > 0 || !r.resized {
		return
	}
	r.resized = false
	var team []*agents.Agent
	for _, s := range r.seats {
		if !s.stopped {
			team = append(team, s.agent)
		}
	}
	r.thread.Votes.SetQuorum(quorumOf(team))
}

// withheld reports whether a decision has to wait for the whole round, because
// an agent has escalated or may still escalate, or because a conflict is open that its
// settlement could change.
func (r *solve) withheld(d consensus.Decision, left []*turn) bool {
	escalates := func(k signals.Kind) bool {
		return slices.ContainsFunc(left, func(t *turn) bool { return t.seat.agent.May(k) })
	}
	if r.thread.Stage.Asked != nil || escalates(signals.KindEscalation) {
		return true
	}
	return r.disputed(d, left)
}

// stands reports whether a final decision survives any votes and proposals that
// the agents with turns left may still publish.
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
	by, _ := r.thread.Votes.Terms()
	return consensus.Settled(by, r.votes().Ballots(), rest)
}

// roundOver settles what a majority decides, and stops an escalated solve. All turns of the round have been
// committed before, so the result does not depend on their order.
func (r *solve) roundOver(ctx context.Context) {
	r.drain(ctx) // signals of others in the thread count, even if no agent of the round spoke after them
	if r.result.Stop == 0 && r.settleByMajority(ctx) {
		r.resolveLost(ctx)
		r.decide(ctx, nil)
	}
	if r.thread.Stage.Asked != nil {
		r.stop(StopEscalated, r.thread.Stage.Asked.Payload.Reason, nil)
	}
}

// exhausted stops a solve in which no agent has anything left to hear.
func (r *solve) exhausted(ctx context.Context) {
	if r.timeIsUp(ctx) && slices.ContainsFunc(r.seats, func(s *seat) bool { return s.turn != nil }) {
		r.interrupted(ctx) // an agent left behind may have had something to say
		return
	}
	if !r.timeIsUp(ctx) && r.settle(ctx) {
		return
	}
	if d := r.votes().Decision(); (d.Outcome != consensus.Reached || r.withholds(d) != "") && !r.timeIsUp(ctx) && r.awaitTimer(ctx) {
		return
	}
	r.votes().Close()
	d, end := r.ask(ctx)
	defer end(d, nil)
	held, broken := r.withholds(d), r.broken(d)
	switch {
	case d.Outcome == consensus.Reached && held == "":
		r.stop(StopConsensus, d.Reason(), nil)
	case broken != nil && r.timeIsUp(ctx):
		r.interrupted(ctx)
	case broken != nil:
		r.breakOff(d, broken)
	case held != "":
		r.stop(StopDeadlock, held, nil)
	case d.Voters > 0:
		r.stop(runlog.StopFor(d.Outcome), d.Reason(), nil)
	case r.timeIsUp(ctx):
		r.interrupted(ctx)
	default:
		r.stop(StopNoProgress, r.silence(), nil)
	}
}

// breakOff stops a solve that cannot go on because its agents fail.
func (r *solve) breakOff(d consensus.Decision, failed []TurnFailed) {
	err := errorsOf(failed)
	switch budget := errors.Is(err, agents.ErrBudget); {
	case budget && d.Voters == 0:
		r.stop(StopBudget, "the budget of every agent is used up", nil)
	case budget:
		r.stop(StopBudget, "the budget is used up", nil)
	case d.Voters == 0:
		r.stop(StopError, "no agent could take its turn", err)
	default:
		r.stop(StopError, "too few agents can take their turns: "+d.Reason(), err)
	}
}
