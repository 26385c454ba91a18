package connectivity

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/signals/coordination"
)

// SetCoordinator sets the component that gets a thread's signals for the
// audience [coordination.Coordinator]; "" means none. Like the registrations it is in the log.
func (l *Layer) SetCoordinator(thread, id string) error {
	if id != "" {
		if err := checkNames("coordinator", thread, id); err != nil {
			return err
		}
	}
	if err := checkNames("", thread); err != nil {
		return err
	}
	return l.commit(context.Background(), func(b *batch) error {
		before := l.fold.Thread(thread).Coordinator()
		if before == id {
			return errNothing
		}
		named := slices.DeleteFunc([]string{before, id}, func(s string) bool { return s == "" })
		b.members(thread, coordination.Members{Coordinator: &id}, named...)
		return nil
	}, nil)
}

// Register adds components to a thread. They get its signals for the audience
// [coordination.All] emitted from now on.
func (l *Layer) Register(thread string, ids ...string) error {
	return l.enroll(thread, ids, true)
}

// Unregister removes components from a thread. They still get, and may answer,
// signals emitted before.
func (l *Layer) Unregister(thread string, ids ...string) error {
	return l.enroll(thread, ids, false)
}

// atATime is how many components one entry names: with the longest names, it is as long
// as a text may be.
const atATime = 100

// enroll writes entries with the components that are not registered yet, or still to be
// removed.
func (l *Layer) enroll(thread string, ids []string, join bool) error {
	if err := checkNames("component", thread, ids...); err != nil {
		return err
	}
	for some := range slices.Chunk(ids, 1000*atATime) {
		err := l.commit(context.Background(), func(b *batch) error {
			t := l.fold.Thread(thread)
			some := slices.DeleteFunc(slices.Clone(some), func(id string) bool { return t.Registered(id) == join })
			for few := range slices.Chunk(some, atATime) {
				if join {
					b.members(thread, coordination.Members{Joined: few}, few...)
				} else {
					b.members(thread, coordination.Members{Left: few}, few...)
				}
			}
			if len(some) == 0 {
				return errNothing
			}
			return nil
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// SetResolver sets the resolver for a thread's signals for the audience
// [coordination.Selected]. The resolver of thread "" is the layer's default, for threads
// without one. A later call replaces it; nil removes it. Resolvers are not in the log.
func (l *Layer) SetResolver(thread string, r Resolver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resolvers[thread] = r
}
