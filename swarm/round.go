package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
)

// runRound runs a turn of every agent with something to hear, and checks whether
// there is a reason to stop.
func (r *solve) runRound(ctx context.Context) {
	if r.fire(ctx); r.over() || r.alarmed(ctx) {
		return
	}
	gather, end := r.gather, r.exhausted
	if r.thread.Calls.Plan() != nil {
		gather, end = r.gatherStep, r.carriedOut
	}
	turns, begin := gather(ctx)
	late := slices.DeleteFunc(slices.Clone(turns), func(t *seat.Turn) bool { return t.State != seat.Late })
	switch {
	case r.cancelled(ctx):
		r.interrupted(ctx)
	case len(turns) == 0 && r.step.plan.Part == 0:
		end(ctx)
	case len(late) > 0 && (begin == 0 || r.timeIsUp(ctx)):
		r.await(ctx, late)
	case r.timeIsUp(ctx):
		r.outOfTime(ctx)
	case r.roundsLeft() == 0 && r.thread.Calls.Plan() == nil:
		r.outOfRounds(ctx)
	default:
		r.result.Rounds++
		ctx, over := hooks.Start(ctx, hooks.Op{Name: hooks.OpRound, Thread: r.result.Thread, Round: r.result.Rounds})
		defer over(nil, nil)
		r.round = lastRound{begun: begin, emittedBefore: r.emitted}
		r.begin(ctx, turns)
		r.commitAll(ctx, turns)
	}
}

// await waits for the first of the late turns, or for the deadline. All other agents
// have spoken, or no longer can.
func (r *solve) await(ctx context.Context, turns []*seat.Turn) {
	for !slices.ContainsFunc(turns, (*seat.Turn).Back) && ctx.Err() == nil {
		select {
		case <-r.wake.Back:
		case <-r.wake.Outside:
			r.drain(ctx)
		case <-ctx.Done():
		}
	}
	if r.cancelled(ctx) {
		return // handled by the next round
	}
	r.commitAll(ctx, turns)
}
