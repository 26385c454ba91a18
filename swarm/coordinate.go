package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// joined seats who joins before a round, and records the terms of the team that it is now.
func (r *solve) joined(ctx context.Context) {
	r.drain(ctx)
	if r.seat() {
		r.recordTerms(ctx)
	}
}

// coordinate emits what an agent yielded to coordinate, and reports whether it entered
// the log as a signal of its own: it may only repeat another, or end one.
func (r *solve) coordinate(ctx context.Context, s *seat.Seat, draft signals.Any) (entered bool, err error) {
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	e, err := r.desk.Emit(inTime, s.Agent, r.seats.IDs(), draft)
	r.drain(ctx)
	if err != nil {
		return false, err
	}
	hooks.Note(ctx, e)
	return !e.Suppressed && coordination.NoteOf(draft) != nil, nil
}

// end ends signals that have been dealt with, in the name of the swarm.
func (r *solve) end(ctx context.Context, all []coordination.Signal) {
	for _, s := range all {
		if !r.over() {
			r.coordinated(ctx, r.desk.End(ctx, s.ID))
		}
	}
}

// coordinated folds what the layer wrote, and stops a solve whose layer failed.
func (r *solve) coordinated(ctx context.Context, err error) {
	r.drain(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r.interrupted(ctx)
	default:
		r.fail("the coordination of the solve failed", err)
	}
}

// nextStep begins the step of the next round, and delivers what is addressed to the agents
// that have a turn in it. Both may have happened before the solve was interrupted.
func (r *solve) nextStep(ctx context.Context, starting []*seat.Turn) {
	if r.thread.Coordination.Began() == 0 {
		return
	}
	if !r.thread.Stepped() {
		r.coordinated(ctx, r.desk.Advance(ctx))
	}
	for _, t := range starting {
		for _, s := range r.thread.Coordination.For(t.Agent) {
			if s.State == coordination.Emitted && !r.over() {
				r.coordinated(ctx, r.desk.Layer.Received(ctx, s.ID))
			}
		}
	}
}

// alarmed asks somebody outside about a critical escalation that no agent can still
// answer, and reports whether it did.
func (r *solve) alarmed(ctx context.Context) bool {
	if r.thread.Stage.Asked() != nil || r.over() {
		return false
	}
	for _, alarm := range r.thread.Alarms() {
		if slices.ContainsFunc(r.seats, func(s *seat.Seat) bool { return s.MayAnswer(r.thread, alarm) }) {
			continue
		}
		r.announce(ctx, signals.New(signals.Header{ReplyTo: alarm.ID, Confidence: 1}, settle.Alarmed(alarm)))
		r.stop(runlog.StopEscalated, alarm.Summary, nil)
		return true
	}
	return false
}

// effort returns the effort of the next turns: what the program says; else, with a layer
// of the program, the mode that its hook requested; else what the thread calls for.
func (r *solve) effort() signals.Effort {
	switch {
	case r.opts.Effort != nil:
		return r.opts.Effort(r.result.Thread)
	case r.opts.Coordination.Layer != nil:
		return r.thread.Coordination.Mode()
	}
	return r.thread.Effort()
}

// endCoordination forgets what the swarm's own layer holds of a solve that is over.
func (r *solve) endCoordination(ctx context.Context) {
	if stop := r.result.Stop; r.opts.Coordination.Layer != nil || r.thread.Coordination.Began() == 0 || stop == runlog.StopEscalated || stop.GoesOn() {
		return
	}
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	if err := r.desk.Layer.CloseThread(inTime, r.result.Thread); err != nil {
		hooks.Note(ctx, err)
	}
	r.drain(ctx)
}
