package connectivity

import (
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A place is who is in a thread. It is configuration, not state: it is not in
// the log.
type place struct {
	coordinator signals.Recipients // nobody if there is none
	components  lookup[string, bool]
	resolver    Resolver
}

func (p *place) registered() int {
	if p == nil {
		return 0
	}
	return len(p.components.m)
}

func (l *Layer) placeLocked(thread string) *place {
	p := l.places.get(thread)
	if p == nil {
		p = &place{coordinator: nobody}
		l.places.set(thread, p)
	}
	return p
}

// coordinatesLocked reports whether a component is a thread's coordinator.
func (l *Layer) coordinatesLocked(id, thread string) bool {
	p := l.places.get(thread)
	return p != nil && p.coordinator.Include(id)
}

// SetCoordinator says who gets a thread's signals for the audience
// [Coordinator]; "" means nobody.
func (l *Layer) SetCoordinator(thread, id string) error {
	to := nobody
	if id != "" {
		to = signals.To(id)
		if err := checkNames("coordinator", thread, id); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.placeLocked(thread).coordinator = to
	return nil
}

// Register adds components of a thread, which get its signals for the audience
// [All] that are emitted from now on.
func (l *Layer) Register(thread string, ids ...string) error {
	if err := checkNames("component", thread, ids...); err != nil {
		return err
	}
	l.atEnd(func(next uint64) {
		p := l.placeLocked(thread)
		for _, id := range ids {
			if !p.components.get(id) {
				p.components.set(id, true)
				l.movedLocked(id, thread, move{next, true})
			}
		}
	})
	return nil
}

// Unregister removes components of a thread. They still get what was emitted
// before.
func (l *Layer) Unregister(thread string, ids ...string) {
	l.atEnd(func(next uint64) {
		if p := l.places.get(thread); p != nil {
			for _, id := range ids {
				l.leaveLocked(p, thread, id, next)
			}
		}
	})
}

func (l *Layer) leaveLocked(p *place, thread, id string, next uint64) {
	if p.components.get(id) {
		p.components.delete(id)
		l.movedLocked(id, thread, move{next, false})
	}
}

// abandonLocked forgets who is in a thread.
func (l *Layer) abandonLocked(thread string, next uint64) {
	if p := l.places.get(thread); p != nil {
		for id := range p.components.m {
			l.movedLocked(id, thread, move{next, false})
		}
		l.places.delete(thread)
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

func checkNames(field, thread string, ids ...string) error {
	var l signals.Limits
	if err := l.Name("thread", thread); err != nil {
		return invalid(err)
	}
	total := 0
	for _, id := range ids {
		if err := l.Name(field, id); err != nil {
			return invalid(err)
		}
		if id == bus.System {
			return &ValidationError{Field: field, Value: id, Problem: "the bus's own"}
		}
		total += len(id)
	}
	if field == "recipients" && total > signals.DefaultTextBytes {
		return &ValidationError{Field: field, Value: ids[0], Problem: "too many: for all of a thread there is the audience all"}
	}
	return nil
}
