package swarm

import (
	"cmp"
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// restore folds a log without publishing its signals again.
func (r *solve) restore(ctx context.Context, log []signals.Any) {
	past := seat.NewRecall(r.seats)
	r.result.Seed = cmp.Or(seedOf(log), r.result.Seed)
	for _, s := range log {
		if k := s.Kind(); r.seats.Of(s.Head().Source) != nil && !slices.Contains(agents.Records(), k) && k != coordination.KindTransition {
			r.emitted++
		}
		if s.Kind() == routing.KindTimer {
			r.fired++
		}
		r.recall(ctx, s, past)
	}
	r.countPlanned()
	says := solves.LoggedBy(r.thread)
	r.result.Failed, r.result.Refused = says.Failed, says.Refused
	past.Close(r.thread.Stepped())
	r.round.stopped = past.Stopped
	r.swarm.clock.Advance(log[len(log)-1].Head().Time)
}

// recall takes a signal of an earlier log.
func (r *solve) recall(ctx context.Context, s signals.Any, past *seat.Recall) {
	before := r.thread.Mark()
	if s.Kind() == coordination.KindStep {
		r.seats.KeepMail(r.thread)
	}
	if s.Kind() == runlog.KindBegan { // who has joined has a seat in it
		r.seat()
	}
	r.apply(ctx, s)
	r.result.Rounds = r.thread.Turns.Rounds
	begun, err := past.Take(s, r.thread, before)
	if err != nil {
		r.fail("the log cannot be read", err)
		return
	}
	now := r.thread.Mark()
	if now.Answered != before.Answered {
		i := slices.IndexFunc(r.thread.Log, func(s signals.Any) bool { return s.Head().ID == now.Answered.Payload.AnswerID })
		if i >= 0 {
			r.seats.DeliverAll(r.thread.Log[i])
		}
	}
	if now.Began != before.Began {
		r.round.emittedBefore, r.result.Seed = r.emitted, now.Began.Payload.Seed
		for _, t := range begun {
			r.give(t, now.Began.Time, now.Began.Payload.Effort)
		}
	}
}

// seedOf returns the seed of the run that wrote a log; 0 if no round began in it.
func seedOf(log []signals.Any) uint64 {
	for _, s := range log {
		if began, ok := signals.As[runlog.Began](s); ok {
			return began.Payload.Seed
		}
	}
	return 0
}

// finishRound ends the round in which the solve was interrupted, with the turns that are
// incomplete in the log.
func (r *solve) finishRound(ctx context.Context) {
	if r.thread.Coordination.Began() > 0 && !r.over() {
		r.coordinated(ctx, r.desk.Layer.Complete(ctx, r.result.Thread))
	}
	asks := slices.ContainsFunc(r.seats.Turns(), func(t *seat.Turn) bool { return t.Asks }) // their answers come first
	if asked := r.thread.Stage.Asked(); asked != nil && !asks && (asked.Source == bus.System || r.thread.Stage.AsksStill()) {
		r.stop(runlog.StopEscalated, asked.Payload.Reason, nil) // it was broken off before it said so
	}
	if why := r.thread.Questions.Stops(); why != "" {
		r.stop(runlog.StopExpired, why, nil)
	}
	r.hadChosen(ctx)
	turns := r.seats.Turns()
	if len(turns) == 0 || r.over() {
		return
	}
	ctx, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpRound, Thread: r.result.Thread, Round: r.result.Rounds})
	defer end(nil, nil)
	starting := awaited(turns)
	r.round.begun = len(starting)
	r.yield(solves.RoundStarted{Round: r.result.Rounds, Turns: idsOf(starting)})
	for _, t := range turns {
		if t.Failed {
			r.result.Failed = slices.DeleteFunc(r.result.Failed, func(f solves.TurnFailed) bool { return f.Agent == t.Agent && f.Round == t.Round })
			t.Failed = !r.round.stopped && !t.Again // each failure is published once
		}
		r.startTurn(ctx, t)
	}
	r.commitAll(ctx, turns)
}
