package routing

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A State is a state of a [Strategy]; "" where there are none.
type State string

// A View is what a predicate decides on.
type View struct {
	Signal signals.Any // never nil; must not be modified
	State  State       // of the strategy when the signal arrived
}

// A Predicate says whether a route or an edge is for what it sees. It is called
// concurrently, where signals are routed, so it must be quick; and more than once
// for a signal, so it must not change anything. For what a panic means, see
// [Router.Decide].
type Predicate func(View) bool

// When is a predicate on signals with payload type P. To others it says no.
func When[P signals.Payload](f func(*signals.Signal[P]) bool) Predicate {
	return func(v View) bool {
		s, ok := v.Signal.(*signals.Signal[P]) // as signals.As does, without a call
		return ok && f(s)
	}
}

// A Route says what is done about signals of one kind. It is a plain value.
type Route struct {
	Name     string       // for explanations and errors; "": the kind and the action
	Kind     signals.Kind // required
	In       []State      // of the strategy; nil: in any
	When     Predicate    // a further condition; nil: none
	Action   Action       // required
	Priority int          // within its tier, the highest first; then the first registered
}

func (r *Route) String() string {
	if r.Name != "" {
		return r.Name
	}
	return fmt.Sprintf("%s -> %s", r.Kind, r.Action)
}

// A Plugin contributes routes to the lowest tier. The zero value contributes
// none.
type Plugin struct {
	Name   string // required, if it has routes
	Routes []Route
}

// registered is a route at its place.
type registered struct {
	Route
	tier   Tier
	plugin string
	name   string
}

func (r *registered) in(s State) bool { return len(r.In) == 0 || slices.Contains(r.In, s) }

// A condition is what decides whether a route matches. Conditions lie apart from
// the routes, since a decision looks at many of them and at one route.
type condition struct {
	in   []State
	when Predicate
}

func (r *registered) condition() condition { return condition{r.In, r.When} }

// first returns the first condition that is met, from i on; len(all) if none is.
// With an error it is the one whose predicate panicked.
func first(all []condition, i int, v View) (at int, err *PredicateError) {
	defer func() {
		if p := recover(); p != nil {
			err = &PredicateError{Value: p}
		}
	}()
	for at = i; at < len(all); at++ {
		c := &all[at]
		if (len(c.in) == 0 || slices.Contains(c.in, v.State)) && (c.when == nil || c.when(v)) {
			break
		}
	}
	return at, nil
}
