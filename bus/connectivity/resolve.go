package connectivity

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// Resolve ends a signal because what it says is dealt with, and returns it.
// Resolving again changes nothing and is fine. Its errors are [ErrNotFound],
// [ErrTerminal] for a signal that was superseded or expired, and those of
// publishing.
func (l *Layer) Resolve(ctx context.Context, id signals.ID) (Signal, error) {
	f, s, err := l.prepareResolve(ctx, id)
	if f == nil {
		return s, err
	}
	defer l.drain(ctx)
	if _, err := l.fly(ctx, l.system, f); err != nil {
		return Signal{}, err
	}
	s.State = Resolved
	return s, nil
}

func (l *Layer) prepareResolve(ctx context.Context, id signals.ID) (*flight, Signal, error) {
	l.lock()
	defer l.mu.Unlock()
	for {
		r := l.fold.byID.find(id)
		switch {
		case r == nil:
			return nil, Signal{}, fmt.Errorf("%w: %s", ErrNotFound, id)
		case r.state == Resolved:
			return nil, r.signal(), nil
		case !r.live() || r.ending != nil && r.ending.late:
			return nil, Signal{}, fmt.Errorf("%w: %s is %s", ErrTerminal, id, r.state)
		}
		ahead := r.ending
		if ahead == nil {
			ahead = l.aheadLocked(r.thread().name, nil)
		}
		if ahead == nil {
			return l.resolutionLocked(r), r.signal(), nil
		}
		if err := l.awaitLocked(ctx, ahead); err != nil {
			return nil, Signal{}, err
		}
	}
}

func (l *Layer) resolutionLocked(r *record) *flight {
	f := l.flightLocked(r.thread().name)
	f.ends = append(f.ends, r)
	l.transitionLocked(f, system, Resolved, r.to, r.id)
	l.departLocked(f)
	return f
}

// Received says that a recipient got a signal that it read from the bus
// itself, which makes an emitted signal active. An [Inbox] says so by itself.
func (l *Layer) Received(ctx context.Context, id signals.ID) error {
	l.lock()
	known := l.fold.byID.find(id) != nil
	l.mu.Unlock()
	if !known {
		return fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return l.activate(ctx, id)
}

// activate writes down that a signal was delivered for the first time.
func (l *Layer) activate(ctx context.Context, id signals.ID) error {
	l.lock()
	r := l.fold.byID.find(id)
	if r == nil || r.state != Emitted || r.ending != nil {
		l.mu.Unlock()
		return nil
	}
	f := l.flightLocked(r.thread().name)
	l.transitionLocked(f, system, Active, r.to, id)
	l.departLocked(f)
	l.mu.Unlock()
	_, err := l.fly(ctx, l.system, f)
	return err
}

// transitionLocked says to those whom the signals were for that they reached
// a state.
func (l *Layer) transitionLocked(f *flight, source string, s State, to signals.Recipients, ids ...signals.ID) {
	h := l.headerLocked(l.nowLocked(), source, f.thread, to, ids[0])
	writeLocked(l, f, &h, Transition{Layer: l.opts.Name, State: s, Signals: ListOf(ids...)})
}
