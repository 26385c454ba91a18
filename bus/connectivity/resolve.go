package connectivity

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Resolve ends a signal that has been dealt with, and returns it. Resolving a
// signal again changes nothing and is not an error. Its errors are
// [ErrNotFound], [ErrTerminal] for a signal that was superseded or has expired,
// and those of publishing.
func (l *Layer) Resolve(ctx context.Context, id signals.ID) (coordination.Signal, error) {
	return l.resolve(ctx, id, nil)
}

func (l *Layer) resolve(ctx context.Context, id signals.ID, as *Component) (s coordination.Signal, err error) {
	defer l.drain(ctx)
	err = l.commit(ctx, func(b *batch) error {
		r, err := l.knownLocked(id)
		if err != nil {
			return err
		}
		by := system
		if as != nil {
			if by = as.id; !l.threads[r.Thread].mayEnd(by, r) {
				return as.refuse("resolve", r)
			}
		}
		switch {
		case r.State == coordination.Resolved:
			s = r.snapshot()
			return errNothing
		case !r.live():
			return fmt.Errorf("%w: %s is %s", ErrTerminal, id, r.State)
		}
		b.transition(by, r.Thread, coordination.Resolved, r.to, id)
		return nil
	}, func(changes []change) {
		s = changes[0].record.snapshot()
		l.tellLocked(s.Thread, changes, false)
	})
	return s, err
}

// knownLocked returns the record of the signal with that id.
func (l *Layer) knownLocked(id signals.ID) (*record, error) {
	if r := l.ids.get(id); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// activate records that a signal was delivered for the first time.
func (b *batch) activate(r *record) error {
	if r.State != coordination.Emitted {
		return errNothing
	}
	b.transition(system, r.Thread, coordination.Active, noRecipients, r.ID)
	return nil
}

// Received records that a recipient has read a signal directly from the bus,
// which makes an emitted signal active. An [Inbox] does so itself.
func (l *Layer) Received(ctx context.Context, id signals.ID) error {
	return l.record(ctx, func(b *batch) error {
		r, err := l.knownLocked(id)
		if err != nil {
			return err
		}
		return b.activate(r)
	})
}

// activate is Received for a signal that may be forgotten by now; it is cheap
// if the signal is already active.
func (l *Layer) activate(ctx context.Context, id signals.ID) error {
	l.mu.Lock()
	r := l.ids.get(id)
	emitted := r != nil && r.State == coordination.Emitted
	l.mu.Unlock()
	if !emitted {
		return nil
	}
	return l.Received(ctx, id)
}
