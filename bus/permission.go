package bus

import (
	"fmt"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Permissions of an agent's handle. The zero value allows every kind that is
// not reserved, in every thread.
type Permissions struct {
	CanEmit []signals.Kind // nil: every kind that is not reserved; empty: none
	Threads []string       // nil: every thread; empty: none
}

// A PermissionError is returned for a signal that an agent's handle does not
// allow, or for a kind that an agent or a layer cannot have, and says why.
type PermissionError struct {
	Agent  string
	Kind   signals.Kind
	Thread string
	Reason string

	layer bool // a layer may not reserve the kind
}

func (e *PermissionError) Error() string {
	if e.layer {
		return fmt.Sprintf("bus: layer %q may not reserve %q: %s", e.Agent, e.Kind, e.Reason)
	}
	return fmt.Sprintf("bus: agent %q may not publish %q in thread %q: %s", e.Agent, e.Kind, e.Thread, e.Reason)
}

func (p *Publisher) refusal(k signals.Kind, h *signals.Header) string {
	switch {
	case h.Source != "" && h.Source != p.agent && p.role != layerRole:
		return "the source is another agent's: " + h.Source
	case p.role == systemRole:
		return ""
	case p.role == agentRole && p.bus.isReserved(k):
		return "the kind is reserved for the system or a layer"
	case p.permissions.CanEmit != nil && !slices.Contains(p.permissions.CanEmit, k):
		return "not in CanEmit"
	case p.permissions.Threads != nil && !slices.Contains(p.permissions.Threads, h.Thread):
		return "not in its threads"
	}
	return ""
}

// isReserved reports whether agents may not publish the kind.
func (a *admission) isReserved(k signals.Kind) bool { return ofSystem(k) || (*a.reserved.Load())[k] }

func ofSystem(k signals.Kind) bool {
	return k == signals.KindTask || k == signals.KindConsensus || k == signals.KindConflict || k == conflict.KindResolved
}

// reserve reserves kinds for a layer, unless an agent may have published them.
func (a *admission) reserve(layer string, kinds []signals.Kind) error {
	a.folds.mu.Lock()
	defer a.folds.mu.Unlock()
	reserved := maps.Clone(*a.reserved.Load())
	for _, k := range kinds {
		if err := (signals.Limits{}).Name("kind", string(k)); err != nil {
			return err
		}
		if ofSystem(k) {
			return &PermissionError{Agent: layer, Kind: k, Reason: "the kind is the system's", layer: true}
		}
		if a.spoken && !reserved[k] {
			return &PermissionError{Agent: layer, Kind: k, Reason: "an agent has published already: make the layer before any agent publishes on the bus", layer: true}
		}
		reserved[k] = true
	}
	a.reserved.Store(&reserved)
	return nil
}

// checkAgent refuses an id and permissions that no agent may have.
func (a *admission) checkAgent(id string, p Permissions) error {
	if err := (signals.Limits{}).Name("agent", id); err != nil {
		return err
	}
	if id == System {
		return &signals.FieldError{Field: "agent", Value: id, Problem: "the id of the bus itself"}
	}
	for _, k := range p.CanEmit {
		if a.isReserved(k) {
			return &PermissionError{Agent: id, Kind: k, Reason: "the kind is reserved for the system or a layer: leave it out of CanEmit"}
		}
	}
	return nil
}
