package swarm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
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
	case d.Final() && r.count.Withholds(d) == "" && !r.waits(d, left) && r.count.Stands(left, r.opts.Limits.TurnSignals):
		d = r.endDebate(ctx, d)
		r.stop(runlog.StopFor(d.Outcome), d.Reason(), nil)
	case r.signalsLeft() == 0 && r.thread.Stage.Asked() == nil:
		r.outOfSignals()
	}
}

// outOfSignals stops a solve that has used up its signals.
func (r *solve) outOfSignals() {
	r.stop(runlog.StopBudget, fmt.Sprintf("the limit of %s in a solve is reached", text.Plural(r.emitted+r.fired, "signal")), nil)
}

// weigh evaluates the votes. The caller must call end when it knows what follows.
func (r *solve) weigh(ctx context.Context) (d consensus.Decision, end func()) {
	by, _ := r.thread.Votes.Terms()
	_, ended := hooks.Start(ctx, hooks.Op{
		Name: hooks.OpConsensus, Target: by.Name(), Thread: r.result.Thread, Round: r.result.Rounds,
	})
	d = r.count.Decide()
	e := solves.Evaluation{Decision: d}
	if d.Choice != "" {
		e.Obstacles = r.thread.Obstacles()
	}
	return d, func() { ended(e, nil) }
}

// waits reports whether a decision has to wait for the whole round, because
// an agent has escalated, asks or may still escalate, because the advocate is still to be
// heard, or because a conflict is open that its settlement could change.
func (r *solve) waits(d consensus.Decision, left []*seat.Turn) bool {
	may := func(k signals.Kind) bool {
		return slices.ContainsFunc(left, func(t *seat.Turn) bool { return t.Seat.Agent.May(k) })
	}
	return r.thread.Stage.Asked() != nil || len(r.round.asking) > 0 || may(signals.KindEscalation) || r.isContested() || r.table().Disputed(d, may(signals.KindProposal))
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
	if r.thread.Stage.Asked() != nil {
		r.stop(runlog.StopEscalated, r.thread.Stage.Asked().Payload.Reason, nil)
	}
}

// outOfRounds stops a solve that has used up its rounds.
func (r *solve) outOfRounds(ctx context.Context) {
	if r.escalates(ctx, r.votes().Decision()) {
		return
	}
	r.votes().Close()
	if d := r.votes().Decision(); d.Outcome == consensus.BySettlement && r.count.Chooses(d) {
		r.stop(runlog.StopSettled, d.Reason(), nil)
		return
	}
	r.stop(runlog.StopMaxRounds, "no decision in "+text.Plural(r.result.Rounds, "round"), nil)
}

// escalates asks somebody outside about an open conflict where conflicts are escalated: the one
// with the most of the leading proposals. It reports whether it did.
func (r *solve) escalates(ctx context.Context, d consensus.Decision) bool {
	open := r.thread.Conflicts.Open()
	if r.opts.Conflicts != settle.ByEscalation || len(open) == 0 || r.thread.Stage.Asked() != nil {
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
	if d := r.count.Closed(); d.Choice != "" || !r.escalates(ctx, d) {
		r.conclude(ctx)
	}
}

// outOfTime stops a solve whose time is up. A solve with a plan is decided by the answers that
// were given, if one of them leads; agents that have not answered are not waited for.
func (r *solve) outOfTime(ctx context.Context) {
	if r.thread.Calls.Plan() != nil && r.count.Closed().Choice != "" {
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
		if moved || !r.count.Chooses(r.votes().Decision()) && r.awaitTimer(ctx) {
			return
		}
	}
	r.conclude(ctx)
}

// conclude stops a solve in which no agent has anything left to say.
func (r *solve) conclude(ctx context.Context) {
	r.votes().Close()
	d, over := r.weigh(ctx)
	defer over()
	end := r.ending(d)
	if end.Unheard && r.timeIsUp(ctx) {
		r.interrupted(ctx)
		return
	}
	r.stop(end.Stop, end.Detail, end.Err)
}

// ending returns why the solve would end now with a decision on its votes.
func (r *solve) ending(d consensus.Decision) verdict.End {
	return r.count.End(d, verdict.Round{Number: r.result.Rounds, Begun: r.round.begun, Emitted: r.emitted, Before: r.round.emittedBefore})
}
