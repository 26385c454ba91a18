package routing

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// A Decision says what to do about a signal, and by whose authority.
type Decision struct {
	Action   Action // [Unrouted] if no route matches
	Tier     Tier   // of the route that decided; 0: none
	Plugin   string // the plugin that contributed the route; "": none
	Route    string // the name of the route; "": none
	Edge     string // the edge that a transition took; "": it needed none
	From, To State  // of the strategy, before and after

	// Err is a [*PredicateError], a [*TransitionError] or several of them,
	// joined. If a predicate of a route of the strategy panicked, or a
	// transition was refused, Action is Reject.
	Err error
}

// A PredicateError is returned for a panic of a route's predicate.
type PredicateError struct {
	Tier  Tier
	Route string
	Value any // of the panic
}

// blame adds the route whose predicate panicked.
func (r *registered) blame(e *PredicateError) *PredicateError {
	e.Tier, e.Route = r.tier, r.name
	return e
}

func (e *PredicateError) Error() string {
	return fmt.Sprintf("routing: the predicate of %s route %q panicked: %v", e.Tier, e.Route, e.Value)
}

// Decide returns what to do about a signal that arrives in a state. It is a
// pure function if the predicates are.
//
// Among the routes that match, one of the highest tier decides; within a tier
// the one with the highest priority; among equals the first registered. If a
// predicate returns false, the next route decides. A panic of a predicate of the
// strategy rejects the signal, so the strategy fails closed; a panic of any
// other counts as false. A transition that no edge allows rejects the signal,
// and the state does not change.
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
