package routing

import (
	"fmt"
	"slices"
)

// A Strategy has the highest authority: its routes have precedence over all
// others and may depend on its states. The zero value has neither and means
// direct execution.
type Strategy struct {
	States  []State // all states
	Initial State   // "": the first of the states
	// Edges are the allowed transitions; nil: from every state to every other. A
	// transition to the current state changes nothing and needs no edge.
	Edges  []Edge
	Routes []Route
	Timers []Schedule
}

// An Edge allows a transition. If several edges connect the same two states,
// their guards are called in order of priority, and the first edge whose guard
// returns true is taken.
type Edge struct {
	Name     string // for decisions and errors; "": the two states
	From, To State
	Guard    Predicate // nil: always
	Priority int       // the highest first, then the first registered
}

func (e *Edge) String() string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("%s -> %s", e.From, e.To)
}

// A TransitionError is returned for a transition that was refused.
type TransitionError struct {
	From, To State
	Problem  string
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("routing: no transition from %q to %q: %s", e.From, e.To, e.Problem)
}

func (s *Strategy) initial() State {
	if s.Initial == "" && len(s.States) > 0 {
		return s.States[0]
	}
	return s.Initial
}

// declared reports whether the state exists; without states, "" does.
func (s *Strategy) declared(state State) bool {
	if len(s.States) == 0 {
		return state == ""
	}
	return slices.Contains(s.States, state)
}

// clone copies what a caller might change, with the edges in the order in which
// guards are called.
func (s *Strategy) clone() Strategy {
	c := *s
	c.States, c.Edges = slices.Clone(s.States), slices.Clone(s.Edges)
	slices.SortStableFunc(c.Edges, func(a, b Edge) int { return byPriority(a.Priority, b.Priority) })
	return c
}

// allow returns the edge that allows v's transition to a state, "" if it needs
// none, or an error if it is refused.
func (s *Strategy) allow(v View, to State) (edge string, err error) {
	if v.State == to || s.Edges == nil {
		return "", nil
	}
	problem := "no edge"
	for i := range s.Edges {
		e := &s.Edges[i]
		if e.From != v.State || e.To != to {
			continue
		}
		ok, err := e.ask(v)
		switch {
		case err != nil:
			return "", err
		case ok:
			return e.String(), nil
		}
		problem = "no guard allows it"
	}
	return "", &TransitionError{v.State, to, problem}
}

// ask calls the guard. It fails closed: a panic refuses the transition.
func (e *Edge) ask(v View) (ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &TransitionError{e.From, e.To, fmt.Sprintf("the guard of %s panicked: %v", e, p)}
		}
	}()
	return e.Guard == nil || e.Guard(v), nil
}
