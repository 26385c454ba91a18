package routing

import (
	"sync/atomic"

	"github.com/swarmbus/swarmbus/signals"
)

// A Machine is a router with the state of one agent in one solve. It may be
// used concurrently. Make one with [Router.Machine].
type Machine struct {
	router *Router
	state  atomic.Pointer[State]
}

// Machine returns a machine in the initial state.
func (r *Router) Machine() *Machine {
	m := &Machine{router: r}
	m.state.Store(r.states[r.Initial()])
	return m
}

// State returns the current state of the strategy.
func (m *Machine) State() State {
	if at := m.state.Load(); at != nil {
		return *at
	}
	return "" // of a zero router
}

// Route decides about a signal and changes the state accordingly. This is
// atomic: no other signal is decided on in between. Predicates and guards are
// called without holding a lock, and called again if the state has changed
// meanwhile.
func (m *Machine) Route(s signals.Any) Decision {
	for {
		at := m.state.Load()
		if at == nil {
			return m.router.Decide("", s)
		}
		d, to := m.router.Decide(*at, s), at
		if d.To != d.From {
			to = m.router.states[d.To]
		}
		if m.state.CompareAndSwap(at, to) {
			return d
		}
	}
}

// Explain returns what Route would decide now, and why. It changes nothing.
func (m *Machine) Explain(s signals.Any) Explanation { return m.router.Explain(m.State(), s) }
