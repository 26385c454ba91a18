package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/internal/words"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// decide stops the solve if the committed signals are a reason to, whatever the
// result of the remaining turns.
func (r *solve) decide(ctx context.Context, left []*seat.Turn) {
	if r.over() {
		return
	}
	d, end := r.weigh(ctx)
	defer end()
	switch {
	case d.Final() && r.withholds(d) == "" && !r.waits(d, left) && r.stands(left):
		d = r.endDebate(ctx, d)
		r.stop(runlog.StopFor(d.Outcome), d.Reason(), nil)
	case r.signalsLeft() == 0 && r.thread.Stage.Asked == nil:
		r.outOfSignals()
	}
}

// outOfSignals stops a solve that has used up its signals.
func (r *solve) outOfSignals() {
	r.stop(runlog.StopBudget, fmt.Sprintf("the limit of %s in a solve is reached", words.Plural(r.emitted+r.fired, "signal")), nil)
}

// weigh evaluates the votes. The caller must call end when it knows what follows.
func (r *solve) weigh(ctx context.Context) (d consensus.Decision, end func()) {
	by, _ := r.thread.Votes.Terms()
	_, ended := hooks.Start(ctx, hooks.Op{
		Name: hooks.OpConsensus, Target: by.Name(), Thread: r.result.Thread, Round: r.result.Rounds,
	})
	r.requorum()
	d = r.votes().Decision()
	e := solves.Evaluation{Decision: d}
	if d.Outcome == consensus.Reached {
		e.Obstacles = r.thread.Obstacles()
	}
	return d, func() { ended(e, nil) }
}

// requorum sets the default quorum of the agents that no route has stopped.
func (r *solve) requorum() {
	if r.opts.Quorum == 0 && r.resized && r.thread.Calls.Plan() == nil {
		r.resized = false
		r.thread.Votes.SetQuorum(seat.Quorum(r.seats.Team()))
	}
}

// alone says why a decision is none of several agents; "" means that it counts.
func (r *solve) alone(d consensus.Decision) string {
	if r.opts.Quorum == 1 || r.thread.Calls.Plan() != nil {
		return ""
	}
	return r.seats.Alone(d, r.thread.Votes.Of(d.Choice))
}

// withholds says why a proposal that the votes have chosen is not the decision: it is
// one of a single agent, or there are obstacles. "" means that it is.
func (r *solve) withholds(d consensus.Decision) string {
	if why := r.alone(d); why != "" {
		return why
	}
	return r.thread.Withholds(d)
}

// waits reports whether a decision has to wait for the whole round, because
// an agent has escalated, asks or may still escalate, because the advocate is still to be
// heard, or because a conflict is open that its settlement could change.
func (r *solve) waits(d consensus.Decision, left []*seat.Turn) bool {
	may := func(k signals.Kind) bool {
		return slices.ContainsFunc(left, func(t *seat.Turn) bool { return t.Seat.Agent.May(k) })
	}
	return r.thread.Stage.Asked != nil || len(r.round.asking) > 0 || may(signals.KindEscalation) || r.isContested() || r.table().Disputed(d, may(signals.KindProposal))
}

// stands reports whether a final decision survives any votes and proposals that
// the agents with turns left may still publish.
func (r *solve) stands(left []*seat.Turn) bool {
	rest := consensus.Left{Voters: []string{}, Weights: r.weights}
	for _, t := range left {
		if t.Seat.Agent.May(signals.KindVote) {
			rest.Voters = append(rest.Voters, t.Agent)
		}
		if t.Seat.Agent.May(signals.KindProposal) {
			rest.Proposals += r.opts.Limits.TurnSignals
		}
	}
	by, _ := r.thread.Votes.Terms()
	return consensus.Settled(by, r.votes().Ballots(), rest)
}

// roundOver settles what a majority decides, and stops a solve that asks a person. All turns of
// the round have been committed before, so the result does not depend on their order.
func (r *solve) roundOver(ctx context.Context) {
	r.drain(ctx) // signals of others in the thread count, even if no agent of the round spoke after them
	if !r.over() && r.thread.Calls.Plan() == nil && r.settleByMajority(ctx) {
		r.decide(ctx, nil)
	}
	if len(r.round.asking) > 0 {
		r.stop(runlog.StopAsked, strings.Join(r.round.asking, "; "), nil)
	}
	if r.thread.Stage.Asked != nil {
		r.stop(runlog.StopEscalated, r.thread.Stage.Asked.Payload.Reason, nil)
	}
}

// outOfRounds stops a solve that has used up its rounds.
func (r *solve) outOfRounds(ctx context.Context) {
	if r.escalates(ctx, r.votes().Decision()) {
		return
	}
	r.votes().Close()
	r.stop(runlog.StopMaxRounds, fmt.Sprintf("no decision in %d rounds", r.result.Rounds), nil)
}

// escalates asks somebody outside about an open conflict where conflicts are escalated: the one
// with the most of the leading proposals. It reports whether it did.
func (r *solve) escalates(ctx context.Context, d consensus.Decision) bool {
	open := r.thread.Conflicts.Open()
	if r.opts.Conflicts != settle.ByEscalation || len(open) == 0 || r.thread.Stage.Asked != nil {
		return false
	}
	leading := func(p conflict.Pair) (n int) {
		for _, id := range d.Leaders {
			if !r.table().SideOf(p, id).IsZero() {
				n++
			}
		}
		return n
	}
	about := slices.MaxFunc(open, func(a, b conflict.Pair) int { return leading(a) - leading(b) })
	r.ask(ctx, r.thread.Pair(about), about.B.Signal)
	return true
}

// carriedOut stops a solve whose plan asks for nothing more, unless somebody is asked because it
// has chosen nothing.
func (r *solve) carriedOut(ctx context.Context) {
	by, _ := r.thread.Votes.Terms()
	if d := by.Decide(r.votes().Ballots().Close()); d.Outcome == consensus.Reached || !r.escalates(ctx, d) {
		r.conclude(ctx)
	}
}

// outOfTime stops a solve whose time is up. A solve with a plan is decided by the answers that
// were given, if one of them leads; agents that have not answered are not waited for.
func (r *solve) outOfTime(ctx context.Context) {
	by, _ := r.thread.Votes.Terms()
	if r.thread.Calls.Plan() != nil && by.Decide(r.votes().Ballots().Close()).Outcome == consensus.Reached {
		r.conclude(ctx)
		return
	}
	r.interrupted(ctx)
}

// exhausted stops a solve in which no agent has anything left to hear, unless there is
// something to do about a conflict or a timer to wait for.
func (r *solve) exhausted(ctx context.Context) {
	if late := r.timeIsUp(ctx); late && r.seats.Busy() {
		r.interrupted(ctx) // an agent left behind may have had something to say
		return
	} else if !late {
		moved, settled := r.settle(ctx)
		if settled {
			r.decide(ctx, nil)
		}
		if d := r.votes().Decision(); moved || (d.Outcome != consensus.Reached || r.withholds(d) != "") && r.awaitTimer(ctx) {
			return
		}
	}
	r.conclude(ctx)
}

// conclude stops a solve in which no agent has anything left to say.
func (r *solve) conclude(ctx context.Context) {
	r.votes().Close()
	d, end := r.weigh(ctx)
	defer end()
	held, broken := r.withholds(d), r.broken(d)
	switch {
	case d.Outcome == consensus.Reached && held == "":
		r.stop(runlog.StopConsensus, d.Reason(), nil)
	case broken != nil && r.timeIsUp(ctx):
		r.interrupted(ctx)
	case broken != nil:
		r.breakOff(d, broken)
	case held != "":
		r.stop(runlog.StopDeadlock, held, nil)
	case d.Voters > 0:
		r.stop(runlog.StopFor(d.Outcome), d.Reason(), nil)
	case r.timeIsUp(ctx):
		r.interrupted(ctx)
	default:
		r.stop(runlog.StopNoProgress, r.silence(), nil)
	}
}

// broken returns the failed turns because of which the solve cannot go on.
func (r *solve) broken(d consensus.Decision) []solves.TurnFailed {
	return r.seats.Broken(d, r.alone(d) != "", seat.Round{Number: r.result.Rounds, Begun: r.round.begun, Silent: r.emitted == r.round.emittedBefore})
}

// breakOff stops a solve that cannot go on because its agents fail.
func (r *solve) breakOff(d consensus.Decision, failed []solves.TurnFailed) {
	var all []error
	for _, t := range failed {
		all = append(all, t.Err)
	}
	err := errors.Join(all...)
	switch budget := errors.Is(err, agents.ErrBudget); {
	case budget && d.Voters == 0:
		r.stop(runlog.StopBudget, "the budget of every agent is used up", nil)
	case budget:
		r.stop(runlog.StopBudget, "the budget is used up", nil)
	case d.Voters == 0:
		r.stop(runlog.StopError, "no agent could take its turn", err)
	default:
		r.stop(runlog.StopError, "too few agents can take their turns: "+d.Reason(), err)
	}
}

// silence says what is missing if no one voted.
func (r *solve) silence() string {
	if r.thread.Votes.Len() == 0 && r.emitted == 0 {
		return fmt.Sprintf("none of %s said anything", words.Plural(len(r.seats), "agent"))
	}
	proposals := "no proposals"
	if n := r.thread.Votes.Len(); n > 0 {
		proposals = words.Plural(n, "proposal")
	}
	return fmt.Sprintf("%s and no votes that count (%s may vote)", proposals, words.Plural(len(r.options().Electorate), "agent"))
}
