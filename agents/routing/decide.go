package routing

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// A Decision is what is to be done about a signal, and by whose authority.
type Decision struct {
	Action   Action // [Unrouted]: no route matches
	Tier     Tier   // of the route that decided; 0: none did
	Plugin   string // that contributed the route; "": none
	Route    string // the name of the route; "": none
	Edge     string // that a transition took; "": it needed none
	From, To State  // of the strategy, before and after

	// Err is what went wrong: a [*PredicateError], a [*TransitionError] or
	// several of them, joined. Where a route of the strategy could not be asked,
	// or a transition was refused, Action is Reject.
	Err error
}

// A PredicateError is what a panic of a route's predicate becomes.
type PredicateError struct {
	Tier  Tier
	Route string
	Value any // that it panicked with
}

// blame says whose predicate panicked.
func (r *registered) blame(e *PredicateError) *PredicateError {
	e.Tier, e.Route = r.tier, r.name
	return e
}

func (e *PredicateError) Error() string {
	return fmt.Sprintf("routing: the predicate of %s route %q panicked: %v", e.Tier, e.Route, e.Value)
}

// Decide returns what is to be done about a signal that arrives in a state. It
// is a function of its arguments, as far as the predicates are.
//
// Among the routes that match, that of the highest tier decides; in a tier that
// of the highest priority; among equals the first registered. A predicate that
// says no lets the next route decide. One that panics rejects the signal if it
// is the strategy's, which fails closed; elsewhere it counts as no. A transition
// that no edge allows rejects the signal, and the state stays.
func (r *Router) Decide(state State, s signals.Any) Decision {
	d := Decision{From: state, To: state}
	v, here := View{s, state}, r.byKind[s.Kind()]
	if here == nil {
		return d
	}
	for i := 0; i < len(here.routes); i++ {
		var err *PredicateError
		i, err = first(here.conditions, i, v)
		if i == len(here.routes) {
			break
		}
		route := here.routes[i]
		if err == nil {
			r.decided(&d, route, v)
			break
		}
		d.fail(route.blame(err))
		if route.tier == TierStrategy {
			d.by(route, Reject)
			break
		}
	}
	return d
}

func (r *Router) decided(d *Decision, by *registered, v View) {
	d.by(by, by.Action)
	if by.Action.Verb != VerbTransition {
		return
	}
	to := State(by.Action.Name)
	edge, err := r.strategy.allow(v, to)
	if err != nil {
		d.fail(err)
		d.Action = Reject
		return
	}
	d.To, d.Edge = to, edge
}

func (d *Decision) by(r *registered, a Action) {
	d.Action, d.Tier, d.Plugin, d.Route = a, r.tier, r.plugin, r.name
}

func (d *Decision) fail(err error) {
	if d.Err != nil {
		err = errors.Join(d.Err, err)
	}
	d.Err = err
}
