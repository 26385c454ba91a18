package coordination

import (
	"maps"

	"github.com/swarmbus/swarmbus/signals"
)

// A roster has the components registered in a thread, and its coordinator.
type roster struct {
	coordinator signals.Recipients
	members     *members
}

// members is a set of components. Once a signal refers to it, it never changes: the next
// registration makes a copy.
type members struct {
	ids  map[string]bool
	kept bool
}

func newRoster() roster { return roster{coordinator: noRecipients} }

func (m *members) has(id string) bool { return m != nil && m.ids[id] }

// keep returns the present members as a set that never changes; nil for none.
func (r *roster) keep() *members {
	if r.members != nil {
		r.members.kept = true
	}
	return r.members
}

// register changes the registered components and the coordinator.
func (r *roster) register(p *Members) {
	switch {
	case r.members == nil:
		r.members = &members{ids: map[string]bool{}}
	case r.members.kept:
		r.members = &members{ids: maps.Clone(r.members.ids)}
	}
	for _, id := range p.Joined {
		r.members.ids[id] = true
	}
	for _, id := range p.Left {
		delete(r.members.ids, id)
	}
	if p.Coordinator != nil {
		if r.coordinator = noRecipients; *p.Coordinator != "" {
			r.coordinator = signals.To(*p.Coordinator)
		}
	}
}

// Registered reports whether a component is registered.
func (r *roster) Registered(id string) bool { return r.members.has(id) }

// Components returns the number of components that are registered.
func (r *roster) Components() int {
	if r.members == nil {
		return 0
	}
	return len(r.members.ids)
}

// Coordinator returns the coordinator, or "" if there is none.
func (r *roster) Coordinator() string {
	if r.coordinator.Equal(noRecipients) {
		return ""
	}
	return r.coordinator.String()
}

// ToCoordinator returns the recipients of an entry for the coordinator: see [To].
func (r *roster) ToCoordinator() signals.Recipients { return r.coordinator }

// Coordinates reports whether a component is the coordinator.
func (r *roster) Coordinates(id string) bool { return r.coordinator.Include(id) }
