package routing

import (
	"fmt"
	"slices"
)

// A Strategy is what has the last word: routes with precedence over all others,
// and the states that they may depend on. The zero value is direct execution: it
// has neither.
type Strategy struct {
	States  []State // that there are
	Initial State   // "": the first of the states
	// Edges are the transitions that are allowed; nil: from every state to every
	// other. A transition to the state that the strategy is in changes nothing
	// and needs no edge.
	Edges  []Edge
	Routes []Route
}

// An Edge allows a transition. Where several lead from one state to the same
// other, their guards are asked in the order of priority, and the first that
// says yes is taken.
type Edge struct {
	Name     string // for decisions and errors; "": the two states
	From, To State
	Guard    Predicate // nil: always
	Priority int       // the highest first; then the first registered
}

func (e *Edge) String() string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("%s -> %s", e.From, e.To)
}

// A TransitionError says why a transition was refused.
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

// declared reports whether there is such a state; without states, "" is one.
func (s *Strategy) declared(state State) bool {
	if len(s.States) == 0 {
		return state == ""
	}
	return slices.Contains(s.States, state)
}

// clone copies what a caller might change. Edges are in the order in which
// guards are asked.
func (s *Strategy) clone() Strategy {
	c := *s
	c.States, c.Edges = slices.Clone(s.States), slices.Clone(s.Edges)
	slices.SortStableFunc(c.Edges, func(a, b Edge) int { return byPriority(a.Priority, b.Priority) })
	return c
}

// allow returns the edge that lets v change into a state, "" if it needs none,
// or why it may not.
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
		problem = "every guard says no"
	}
	return "", &TransitionError{v.State, to, problem}
}

// ask fails closed: a guard that panics refuses.
func (e *Edge) ask(v View) (ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &TransitionError{e.From, e.To, fmt.Sprintf("the guard of %s panicked: %v", e, p)}
		}
	}()
	return e.Guard == nil || e.Guard(v), nil
}
