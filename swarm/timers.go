package swarm

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// fire publishes the timers that are due. They count against the limit of signals.
func (r *solve) fire(ctx context.Context) {
	if _, running := r.seats.NextTimer(); !running {
		return
	}
	now := r.swarm.clock.Now()
	for _, s := range r.seats {
		for _, due := range s.Due(now) {
			if r.signalsLeft() == 0 {
				r.outOfSignals()
				return
			}
			r.fired++
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, Time: now, Recipients: signals.To(s.Agent.ID)}, due))
		}
	}
}

// awaitTimer waits until the next timer is due, and reports whether there is one that is
// due within the solve's time. The run's clock has advanced by then: the time of waiting is
// the machine's.
func (r *solve) awaitTimer(ctx context.Context) bool {
	next, running := r.seats.NextTimer()
	if !running {
		return false
	}
	wait := next.Sub(r.swarm.clock.Now())
	if time.Until(r.span.Deadline) <= wait || r.roundsLeft() == 0 {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.wake.Outside:
		r.drain(ctx)
		return true
	case <-ctx.Done():
		return true // handled by the next round
	}
	r.swarm.clock.Advance(next)
	return true
}
