package routing

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A State is a state of a [Strategy]; "" if it has none.
type State string

// A View is the input of a predicate.
type View struct {
	Signal signals.Any // never nil; must not be modified
	State  State       // of the strategy when the signal arrived
}

// A Predicate reports whether a route or an edge applies. It is called
// concurrently, while signals are routed, so it must be quick, and possibly more
// than once for a signal, so it must have no side effects. For the effect of a
// panic, see [Router.Decide].
type Predicate func(View) bool

// When returns a predicate on signals with payload type P. For others it is
// false.
func When[P signals.Payload](f func(*signals.Signal[P]) bool) Predicate {
	return func(v View) bool {
		s, ok := v.Signal.(*signals.Signal[P]) // as signals.As does, without a call
		return ok && f(s)
	}
}

// A Route says what to do about signals of one kind. It is a plain value.
type Route struct {
	Name     string       // for explanations and errors; "": the kind and the action
	Kind     signals.Kind // required
	In       []State      // states of the strategy; none: any
	When     Predicate    // a further condition; nil: none
	Action   Action       // required
	Priority int          // within its tier: the highest first, then the first registered
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

// registered is a route with its place in the order.
type registered struct {
	Route
	tier   Tier
	plugin string
	name   string
}

func (r *registered) in(s State) bool { return len(r.In) == 0 || slices.Contains(r.In, s) }

// A condition decides whether a route matches. Conditions are stored separately
// from the routes, since a decision reads many of them but only one route.
type condition struct {
	in   []State
	when Predicate
}

func (r *registered) condition() condition { return condition{r.In, r.When} }

// first returns the index of the first condition that is met, from i on, or
// len(all). With an error it is the index of the one whose predicate panicked.
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
