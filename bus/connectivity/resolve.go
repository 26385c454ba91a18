package connectivity

import (
	"cmp"
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Resolve ends a signal as resolved, and returns it. Resolving a
// signal again changes nothing and is not an error. Its errors are
// [ErrNotFound], [ErrTerminal] for a signal that was superseded or has expired,
// and those of publishing.
func (l *Layer) Resolve(ctx context.Context, id signals.ID) (coordination.Signal, error) {
	return l.resolve(ctx, id, "")
}

// resolve resolves as a component, or as the operator if as is "".
func (l *Layer) resolve(ctx context.Context, id signals.ID, as string) (coordination.Signal, error) {
	var e Emission
	err := l.commit(ctx, func(b *batch) error {
		r, err := l.knownLocked(id)
		if err != nil {
			return err
		}
		if as != "" && !l.fold.Thread(r.Thread).MayEnd(as, r) {
			return refuse(as, "resolve", r)
		}
		switch {
		case r.State == coordination.Resolved:
			b.show(r)
			return errNothing
		case !r.Live():
			return fmt.Errorf("%w: %s is %s", ErrTerminal, id, r.State)
		}
		b.transition(cmp.Or(as, bus.System), r.Thread, coordination.Resolved, r.To(), id)
		return nil
	}, &e)
	return e.Signal, err
}

// knownLocked returns the record of the signal with that id.
func (l *Layer) knownLocked(id signals.ID) (*coordination.Record, error) {
	if r := l.fold.Get(id); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// Received records that a recipient has read a signal directly from the bus,
// which makes an emitted signal active. An [Inbox] does so itself.
func (l *Layer) Received(ctx context.Context, id signals.ID) error {
	return l.acknowledge(ctx, id, "")
}

// acknowledge is Received for a component to which the signal must be addressed.
func (l *Layer) acknowledge(ctx context.Context, id signals.ID, as string) error {
	return l.record(ctx, func(b *batch) error {
		r, err := l.knownLocked(id)
		switch {
		case err != nil:
			return err
		case as != "" && !l.fold.Thread(r.Thread).IsFor(as, r):
			return refuse(as, "acknowledge", r)
		case r.State != coordination.Emitted:
			return errNothing
		}
		b.transition(bus.System, r.Thread, coordination.Active, noRecipients, id)
		return nil
	})
}

func refuse(component, what string, r *coordination.Record) error {
	return fmt.Errorf("%w: %q may not %s %s of %q", ErrNotAllowed, component, what, r.ID, r.Source)
}

// activate is Received for a signal that may be forgotten by now; it is cheap
// if the signal is already active.
func (l *Layer) activate(ctx context.Context, id signals.ID) error {
	l.mu.Lock()
	r := l.fold.Get(id)
	emitted := r != nil && r.State == coordination.Emitted
	l.mu.Unlock()
	if !emitted {
		return nil
	}
	return l.Received(ctx, id)
}
