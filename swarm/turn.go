package swarm

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// A turn is an agent at work.
type turn struct {
	*agents.Turn
	seat   *seat
	done   chan outcome // holds one, so that a turn left behind can end
	due    time.Time    // when its round goes on without it
	ends   time.Time    // when its context does, at the latest
	lost   time.Time    // when it is left behind
	cancel context.CancelFunc
	stop   context.CancelCauseFunc
	state  turnState
}

// turnState is how far the solve is with a turn.
type turnState uint8

const (
	stateAwaited turnState = iota // its round waits for it
	stateLate                     // the solve takes it when it comes
	stateOver                     // committed, failed or given up
	stateStopped                  // a route ended it
)

type outcome struct {
	said  []signals.Any
	err   error
	tries int // beyond the first

	strategy string // that the agent chose
}

// A round waits for its turns for a part of the solve's time, see
// [Options].Deadline. What was told to end has a moment to come back with what
// it has, before it is left behind.
const (
	patience = 4 // the part is a quarter
	returns  = 250 * time.Millisecond
)

// moment is how long what was told to end has to come back, in a solve that may
// last so long.
func moment(span time.Duration) time.Duration { return min(returns, span/20) }

// limit sets how long the turn may take from now on.
func (t *turn) limit(now, began, deadline time.Time) {
	span := deadline.Sub(began)
	t.due, t.ends = now.Add(span/patience), deadline.Add(-moment(span))
	if own := t.seat.agent.TurnTimeout; own > 0 {
		t.due = now.Add(own + moment(span))
		if end := now.Add(own); end.Before(t.ends) {
			t.ends = end
		}
	}
	t.lost = t.ends.Add(moment(span))
}

// take runs the turn, and again while its error passes.
func (t *turn) take(ctx context.Context, retries int) (o outcome) {
	wait := backoff.NewExponentialBackOff()
	for ; ; o.tries++ {
		again := *t.Turn // what a try drew or changed is gone with it
		again.Try = o.tries
		o.said, o.err = t.seat.agent.Take(ctx, &again)
		o.strategy = again.Strategy
		after, passes := agents.IsPassing(o.err)
		if !passes || o.tries == retries || !sleep(ctx, max(after, wait.NextBackOff())) {
			return o
		}
	}
}

// sleep reports whether the time has gone by before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// wait returns what came of the turn, and false if the round goes on without
// it. What is done counts, also when time is over.
func (r *solve) wait(ctx context.Context, t *turn) (o outcome, done bool) {
	if o, done = t.poll(); done || t.state != stateAwaited {
		return o, done
	}
	timer := time.NewTimer(time.Until(t.due))
	defer timer.Stop()
	for t.state == stateAwaited && r.result.Stop == 0 {
		select {
		case o = <-t.done:
			return o, true
		case <-r.outside:
			r.drain(ctx)
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		break
	}
	return t.poll()
}

func (t *turn) poll() (o outcome, done bool) {
	select {
	case o = <-t.done:
		return o, true
	default:
		return o, false
	}
}
