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
	return l.resolve(ctx, id, nil)
}

func (l *Layer) resolve(ctx context.Context, id signals.ID, as *Component) (s Signal, err error) {
	defer l.drain(ctx)
	err = l.commit(ctx, func(b *batch) error {
		r, err := b.known(id)
		if err != nil {
			return err
		}
		by := system
		if as != nil {
			if by = as.id; !l.mayEndLocked(by, r) {
				return as.refuse("resolve", r)
			}
		}
		switch {
		case r.state == Resolved:
			s = r.signal()
			return errNothing
		case !r.live():
			return fmt.Errorf("%w: %s is %s", ErrTerminal, id, r.state)
		}
		b.transition(by, r.thread().name, Resolved, r.to, id)
		return nil
	}, func(changes []change) {
		s = changes[0].record.signal()
		l.tellLocked(s.Thread, changes, false)
	})
	return s, err
}

// known returns the record of a signal that somebody speaks of.
func (b *batch) known(id signals.ID) (*record, error) {
	if r := b.fold.find(id); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// activate writes down that a signal was delivered for the first time.
func (b *batch) activate(r *record) error {
	if r.state != Emitted {
		return errNothing
	}
	b.transition(system, r.thread().name, Active, nobody, r.id)
	return nil
}

// Received says that a recipient got a signal that it read from the bus
// itself, which makes an emitted signal active. An [Inbox] says so by itself.
func (l *Layer) Received(ctx context.Context, id signals.ID) error {
	return l.record(ctx, func(b *batch) error {
		r, err := b.known(id)
		if err != nil {
			return err
		}
		return b.activate(r)
	})
}

// activate is Received for a signal that may be forgotten by now, and costs
// next to nothing if it is active.
func (l *Layer) activate(ctx context.Context, id signals.ID) error {
	if s, held := l.state(id); !held || s != Emitted {
		return nil
	}
	return l.Received(ctx, id)
}

func (l *Layer) state(id signals.ID) (State, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.fold.find(id); r != nil {
		return r.state, true
	}
	return 0, false
}
