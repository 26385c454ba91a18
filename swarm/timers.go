package swarm

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// time folds what a signal of the log says about the agent's timers: they begin with the
// task, follow the state of the strategy, and fire.
func (s *seat) time(said signals.Any, seed uint64) {
	if s.machine == nil {
		return
	}
	h := signals.HeadOf(said)
	if said.Kind() == signals.KindTask && s.timers == nil {
		s.timers = s.agent.Router.Timers(s.agent.ID, seed, h.Time)
	}
	if s.timers == nil {
		return
	}
	s.timers.Enter(s.machine.State(), h.Time)
	if fired, ok := signals.As[routing.Timer](said); ok && h.Recipients.Equal(signals.To(s.agent.ID)) {
		s.timers.Fired(fired.Payload.Name, h.Time)
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

// fire publishes the timers that are due.
func (r *solve) fire(ctx context.Context) {
	if _, running := r.nextTimer(); !running {
		return
	}
	now := r.swarm.now()
	for _, s := range r.seats {
		if s.timers == nil || s.stopped {
			continue
		}
		for _, due := range s.timers.Due(now) {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, Time: now, Recipients: signals.To(s.agent.ID)}, due.Timer))
		}
	}
}

// nextTimer returns when the next timer of an agent is due, and whether there is one.
func (r *solve) nextTimer() (next time.Time, running bool) {
	for _, s := range r.seats {
		if s.timers == nil || s.stopped {
			continue
		}
		if at, ok := s.timers.Next(); ok && (!running || at.Before(next)) {
			next, running = at, true
		}
	}
	return next, running
}

// awaitTimer waits until the next timer is due, and reports whether there is one that is
// due within the solve's time. The run's clock has advanced by then: the time of waiting is
// the machine's.
func (r *solve) awaitTimer(ctx context.Context) bool {
	next, running := r.nextTimer()
	if !running {
		return false
	}
	wait := next.Sub(r.swarm.now())
	if time.Until(r.span.deadline) <= wait || r.result.Rounds == r.opts.Rounds {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.wake.outside:
		r.drain(ctx)
		return true
	case <-ctx.Done():
		return true // handled by the next round
	}
	r.swarm.advance(next)
	return true
}
