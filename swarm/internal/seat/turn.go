package seat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// The causes with which contexts of turns end.
var (
	// ErrStopped is the cause for a turn that a route stopped, or whose agent left.
	ErrStopped = errors.New("swarm: the agent was stopped")
	errTime    = fmt.Errorf("swarm: out of time: %w", context.DeadlineExceeded)
)

// A Turn is a running turn of an agent.
type Turn struct {
	*agents.Turn
	Seat   *Seat
	State  state
	Failed bool  // as an earlier process says in the log
	Again  bool  // it had failed when the solve stopped to go on, so that it is taken again
	Asks   bool  // a question in the log names it
	Err    error // why it failed

	done   chan Outcome // of capacity one, so that a turn left behind can end
	due    time.Time    // when its round continues without it
	ends   time.Time    // when its context ends at the latest
	lost   time.Time    // when it is left behind
	cancel context.CancelFunc
	stop   context.CancelCauseFunc
	logged []signals.Any // that the log of an earlier process has of it, and it did not say again; refusals are their records
}

// state is the solve's state of a turn.
type state uint8

// The states of a turn.
const (
	Awaited state = iota // its round waits for it
	Late                 // its result is accepted when it arrives
	Over                 // committed, failed or abandoned
	Stopped              // a route ended it
)

// limit sets the time limits of the turn from now on.
func (t *Turn) limit(now time.Time, of Span) {
	t.due, t.ends = now.Add(of.Length()/patience), of.Turns()
	if own := t.Seat.Agent.TurnTimeout; own > 0 {
		t.due = now.Add(own + of.moment())
		if end := now.Add(own); end.Before(t.ends) {
			t.ends = end
		}
	}
	t.lost = t.ends.Add(of.moment())
}

// Wait returns the result of the turn, or false if the round continues without
// it. A finished turn counts even if its time is over. Signals from outside are heard
// meanwhile, until heard reports that the solve has stopped.
func (t *Turn) Wait(ctx context.Context, outside <-chan struct{}, heard func() (stopped bool)) (o Outcome, done bool) {
	if o, done = t.poll(); done || t.State != Awaited {
		return o, done
	}
	timer := time.NewTimer(time.Until(t.due))
	defer timer.Stop()
	for stopped := false; t.State == Awaited && !stopped; {
		select {
		case o = <-t.done:
			return o, true
		case <-outside:
			stopped = heard()
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		break
	}
	return t.poll()
}

// poll returns the result of the turn, once, if it is done.
func (t *Turn) poll() (o Outcome, done bool) {
	select {
	case o = <-t.done:
		return o, true
	default:
		return o, false
	}
}

// Back reports whether the turn is done, or was stopped.
func (t *Turn) Back() bool { return len(t.done) > 0 || t.State == Stopped }

// Lost reports whether the turn is to be left behind.
func (t *Turn) Lost() bool { return !time.Now().Before(t.lost) }

// Cancel cancels a turn that was started, and reports whether it ignores its context,
// which had ended before.
func (t *Turn) Cancel() (leftBehind bool) {
	if t.cancel == nil {
		return false
	}
	t.cancel()
	return len(t.done) == 0 && t.Lost()
}

// Interrupt ends a turn at once and drops its result. It reports whether the turn was
// running.
func (t *Turn) Interrupt() (running bool) {
	if t == nil || t.State == Over {
		return false
	}
	t.State = Stopped
	if t.stop == nil {
		return false
	}
	t.stop(ErrStopped)
	t.ends = time.Now()
	return true
}

// Has reports, once per signal, whether the log has the turn's signal from an earlier
// process, or that it was refused there.
func (t *Turn) Has(said signals.Any) (known, refused bool) {
	if len(t.logged) == 0 {
		return false, false
	}
	if p, ok := t.logged[0].Body().(runlog.Refused); ok {
		if known = p.Signal == said.Kind(); known {
			t.logged = t.logged[1:]
		}
		return known, known
	}
	logged, err := runlog.TextOf(yielded(t.logged[0]))
	text, problem := runlog.TextOf(yielded(said))
	if t.logged[0].Kind() != said.Kind() || logged != text || errors.Join(err, problem) != nil {
		return false, false
	}
	t.logged = t.logged[1:]
	return true, false
}

// yielded returns what an agent said, without what a layer adds to it.
func yielded(s signals.Any) any {
	n := coordination.NoteOf(s)
	if n == nil {
		return s.Body()
	}
	said := *n
	said.Link, said.Step, said.Components, said.ExpiresAtStep, said.ExpiresAfter = coordination.Link{}, 0, 0, 0, 0
	return said
}

// ended reports whether the log says that the turn has ended.
func (t *Turn) ended() bool { return t.Failed || len(t.logged) > 0 }
