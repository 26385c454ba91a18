package connectivity

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// Resolve ends a signal that has been dealt with, and returns it. Resolving a
// signal again changes nothing and is not an error. Its errors are
// [ErrNotFound], [ErrTerminal] for a signal that was superseded or has expired,
// and those of publishing.
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

// known returns the record of the signal with that id.
func (b *batch) known(id signals.ID) (*record, error) {
	if r := b.fold.find(id); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// activate records that a signal was delivered for the first time.
func (b *batch) activate(r *record) error {
	if r.state != Emitted {
		return errNothing
	}
	b.transition(system, r.thread().name, Active, nobody, r.id)
	return nil
}

// Received records that a recipient has read a signal directly from the bus,
// which makes an emitted signal active. An [Inbox] does so itself.
func (l *Layer) Received(ctx context.Context, id signals.ID) error {
	return l.record(ctx, func(b *batch) error {
		r, err := b.known(id)
		if err != nil {
			return err
		}
		return b.activate(r)
	})
}

// activate is Received for a signal that may be forgotten by now; it is cheap
// if the signal is already active.
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
