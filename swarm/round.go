package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
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
		gather, end = r.gatherStep, r.conclude
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
		r.interrupted(ctx)
	case r.roundsLeft() == 0 && r.thread.Calls.Plan() == nil:
		r.outOfRounds(ctx)
	default:
		r.result.Rounds++
		ctx, over := hooks.Start(ctx, hooks.Op{Name: hooks.OpRound, Thread: r.result.Thread, Round: r.result.Rounds})
		defer over(nil, nil)
		r.round = lastRound{begun: begin, saidBefore: r.said}
		r.begin(ctx, turns)
		r.commitAll(ctx, turns)
	}
}

// gather returns the turns of a round in the order of the agents: a new one for
// each agent with something in its inbox, and those that are late. begun is the
// number of new ones. In a step of a debate only its advocates begin turns, as does the
// agent that argues against a choice, and after a handoff only those who continue.
func (r *solve) gather(ctx context.Context) (turns []*seat.Turn, begun int) {
	if r.step.debate.Round == 0 {
		r.step.debate = r.table().Answers(r.result.Rounds)
	}
	if r.step.against = ""; r.step.debate.Round == 0 {
		r.step.against = r.contested()
	}
	next := r.continuing()
	for _, s := range r.seats {
		s.Release()
		switch {
		case s.Turn != nil:
			if s.Turn.State == seat.Late {
				turns = append(turns, s.Turn)
			}
			continue
		case r.hasTheFloor() && !r.argues(s), !r.hasTheFloor() && !slices.Contains(next, s):
			continue
		}
		if t := r.hear(ctx, s); t != nil {
			turns = append(turns, s.Begin(t))
			begun++
		}
	}
	return turns, begun
}

// hear returns a turn with what is new for the agent, or nil if it has no reason for one.
func (r *solve) hear(ctx context.Context, s *seat.Seat) *agents.Turn {
	t := s.Collect()
	if s.Routes() {
		r.drain(ctx) // signals from outside up to now are routed too
	}
	isNews := func(heard signals.Any) bool { return !r.thread.Repeats.Has(heard) }
	return s.Hear(t, isNews, r.argues(s) || r.hasMail(s), r.recordOf)
}

// recordOf returns how often a source has been right, by what was known at the
// beginning of the solve: the mean of the two rates, or 1/2 if nothing is
// known.
func (r *solve) recordOf(source string) float64 {
	if r.known == nil {
		return 0.5
	}
	if rate, ok := r.known.Reliability(source, 2); ok {
		return (rate.Sensitivity + rate.Specificity) / 2
	}
	return 0.5
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
