package swarm

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// A turn is a running turn of an agent.
type turn struct {
	*agents.Turn
	seat   *seat
	done   chan outcome // of capacity one, so that a turn left behind can end
	due    time.Time    // when its round continues without it
	ends   time.Time    // when its context ends at the latest
	lost   time.Time    // when it is left behind
	cancel context.CancelFunc
	stop   context.CancelCauseFunc
	state  turnState
	logged []signals.Any // that the log of an earlier process has of it, and it did not say again
	failed bool          // as that log says
	err    error         // why it failed
}

// turnState is the solve's state of a turn.
type turnState uint8

const (
	stateAwaited turnState = iota // its round waits for it
	stateLate                     // its result is accepted when it arrives
	stateOver                     // committed, failed or abandoned
	stateStopped                  // a route ended it
)

type outcome struct {
	said  []signals.Any
	err   error
	tries int // beyond the first

	strategy string // chosen by the agent
}

// A round waits for its turns for a part of the solve's time: see
// [Options].Deadline. A canceled turn has a moment to return its signals,
// before it is left behind.
const (
	patience = 4 // the part is a quarter
	returns  = 250 * time.Millisecond
)

// moment returns how long a canceled turn has to return, in a solve with that
// deadline.
func moment(span time.Duration) time.Duration { return min(returns, span/20) }

// limit sets the time limits of the turn from now on.
func (t *turn) limit(now time.Time, of span) {
	span := of.deadline.Sub(of.began)
	t.due, t.ends = now.Add(span/patience), of.deadline.Add(-moment(span))
	if own := t.seat.agent.TurnTimeout; own > 0 {
		t.due = now.Add(own + moment(span))
		if end := now.Add(own); end.Before(t.ends) {
			t.ends = end
		}
	}
	t.lost = t.ends.Add(moment(span))
}

// take runs the turn, and retries it while its error is temporary and there is time.
// Its outcome is sent even if the agent ends the goroutine.
func (t *turn) take(ctx context.Context, retries int) {
	var o outcome
	defer func() { t.done <- o }()
	wait := backoff.NewExponentialBackOff()
	for last := error(nil); ; o.tries++ {
		again := *t.Turn // each try starts from a fresh copy
		again.Try = o.tries
		o.said, o.err = nil, agents.ErrNoReturn
		o.said, o.err = t.seat.agent.Take(ctx, &again)
		o.strategy = again.Strategy
		after, passes := agents.IsPassing(o.err)
		if o.err != nil && ctx.Err() != nil && last != nil {
			o.err = fmt.Errorf("%w, after: %w", o.err, last) // the reason why there was no time
		}
		if !passes || o.tries == retries || !sleep(ctx, max(after, wait.NextBackOff())) {
			return
		}
		last = o.err
	}
}

// sleep reports whether the time elapsed before ctx ended. It does not wait for the
// deadline of ctx where that comes first.
func sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// wait returns the result of the turn, or false if the round continues without
// it. A finished turn counts even if its time is over.
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
		case <-r.wake.outside:
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
