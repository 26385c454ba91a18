package connectivity

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Resolver names who gets a signal for the audience [Selected]. It is called
// inside Emit, before the signal is stored, without locks and concurrently. If
// it fails or panics, Emit fails with it and nothing is stored.
type Resolver func(context.Context, Signal) ([]string, error)

// A place is who is in a thread. It is configuration, not state: it is not in
// the log.
type place struct {
	coordinator signals.Recipients // nobody if there is none
	components  []string
	all         signals.Recipients // the components
	resolver    Resolver
}

func (l *Layer) placeLocked(thread string) *place {
	p := l.places[thread]
	if p == nil {
		p = &place{coordinator: nobody, all: nobody}
		l.places[thread] = p
	}
	return p
}

// SetCoordinator says who gets a thread's signals for the audience
// [Coordinator]; "" means nobody.
func (l *Layer) SetCoordinator(thread, id string) error {
	if id != "" {
		if err := checkNames("coordinator", thread, id); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	to := nobody
	if id != "" {
		to = signals.To(id)
	}
	l.placeLocked(thread).coordinator = to
	return nil
}

// Register adds components of a thread, which get its signals for the audience
// [All].
func (l *Layer) Register(thread string, ids ...string) error {
	if err := checkNames("component", thread, ids...); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.placeLocked(thread)
	p.components = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.components, ids))))
	p.all = recipients(p.components)
	return nil
}

// Unregister removes components of a thread. Signals that are stored keep the
// recipients they have.
func (l *Layer) Unregister(thread string, ids ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.places[thread]; p != nil {
		p.components = slices.DeleteFunc(slices.Clone(p.components), func(c string) bool { return slices.Contains(ids, c) })
		p.all = recipients(p.components)
	}
}

// SetResolver says who gets a thread's signals for the audience [Selected]. The
// resolver of thread "" is the layer's own, for threads that have none. A later
// call replaces it; nil removes it.
func (l *Layer) SetResolver(thread string, r Resolver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.placeLocked(thread).resolver = r
}

// resolverLocked returns who says whom in is for, nil if nobody has to.
func (l *Layer) resolverLocked(in *Input) Resolver {
	if in.Audience != Selected {
		return nil
	}
	for _, name := range []string{in.Thread, ""} {
		if p := l.places[name]; p != nil && p.resolver != nil {
			return p.resolver
		}
	}
	return nil
}

// recipientsLocked returns who gets what in says, but for Selected.
func (l *Layer) recipientsLocked(in *Input) signals.Recipients {
	p := l.places[in.Thread]
	switch {
	case in.Audience == Self:
		return signals.To(in.Source)
	case p == nil:
		return nobody
	case in.Audience == Coordinator:
		return p.coordinator
	case in.Audience == All:
		return p.all
	}
	return nobody
}

// selected asks a resolver.
func selected(ctx context.Context, r Resolver, s Signal) (to signals.Recipients, err error) {
	var chosen []string
	err = guard(func() (err error) {
		chosen, err = r(ctx, s)
		return err
	})
	if err == nil {
		err = checkNames("recipients", s.Thread, chosen...)
	}
	return recipients(chosen), inside("resolver", err)
}

func checkNames(field, thread string, ids ...string) error {
	var l signals.Limits
	if err := l.Name("thread", thread); err != nil {
		return invalid(err)
	}
	for _, id := range ids {
		if err := l.Name(field, id); err != nil {
			return invalid(err)
		}
		if id == bus.System {
			return &ValidationError{Field: field, Value: id, Problem: "the bus's own"}
		}
	}
	return nil
}
