package connectivity

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A place holds the members of a thread. It is configuration, not state: it is
// not in the log.
type place struct {
	coordinator signals.Recipients     // [nobody] if there is none
	components  lookup[string, uint64] // by id: the position in the log since which it is registered
	left        []stay                 // of components that have left
	most        int                    // number of stays at which those not needed are dropped
	resolver    Resolver
}

// A stay records that a component was registered between two positions in the
// log. It is kept while the layer holds a signal for all from in between.
type stay struct {
	id       string
	from, to uint64
}

// had reports whether a component was registered at the position of a signal
// for all.
func (p *place) had(id string, at uint64) bool {
	if from := p.components.get(id); from > 0 && from <= at {
		return true
	}
	return slices.ContainsFunc(p.left, func(s stay) bool { return s.id == id && s.from <= at && at < s.to })
}

// prune drops the stays that contain none of the places, which are sorted. It
// runs after as many additions as it costs, so its amortized cost is constant.
func (p *place) prune(places []uint64) {
	p.left = slices.DeleteFunc(p.left, func(s stay) bool {
		i, _ := slices.BinarySearch(places, s.from)
		return i == len(places) || places[i] >= s.to
	})
	if cap(p.left) > 4*len(p.left) {
		p.left = slices.Clone(p.left)
	}
	p.most = 2*len(p.left) + len(places)
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

// SetCoordinator sets the component that gets a thread's signals for the
// audience [Coordinator]; "" means none.
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

// Register adds components to a thread. They get its signals for the audience
// [All] emitted from now on.
func (l *Layer) Register(thread string, ids ...string) error {
	if err := checkNames("component", thread, ids...); err != nil {
		return err
	}
	l.atEnd(func(next uint64) {
		p := l.placeLocked(thread)
		for _, id := range ids {
			if p.components.get(id) == 0 {
				p.components.set(id, next)
			}
		}
	})
	return nil
}

// Unregister removes components from a thread. They still get, and may answer,
// signals emitted before.
func (l *Layer) Unregister(thread string, ids ...string) {
	l.atEnd(func(next uint64) {
		p := l.places.get(thread)
		if p == nil {
			return
		}
		for _, id := range ids {
			if from := p.components.get(id); from > 0 {
				p.components.delete(id)
				p.left = append(p.left, stay{id, from, next})
			}
		}
		if len(p.left) > p.most {
			p.prune(l.fold.threads.get(thread).toAllPlaces())
		}
	})
}

// SetResolver sets the resolver for a thread's signals for the audience
// [Selected]. The resolver of thread "" is the layer's default, for threads
// without one. A later call replaces it; nil removes it.
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
