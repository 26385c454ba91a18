package routing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// Config holds the routes of each tier. All of them may be nil.
type Config struct {
	Strategy Strategy   // the first tier, and the states
	Agent    []Route    // the second tier: the agent's own
	Plugins  []Plugin   // the third tier; among equal priorities, in this order
	Timers   []Schedule // the agent's own, beside those of the strategy
}

// A Router decides by three tiers of routes. It is immutable and may be used
// concurrently, by any number of agents. Make one with [New]; the zero value has
// no routes.
type Router struct {
	strategy Strategy
	all      []registered // in order of precedence
	byKind   map[signals.Kind]*candidates
	timers   []Schedule
	states   map[State]*State // for machines to point to
}

// Candidates are the routes for a kind, with the condition of each.
type candidates struct {
	conditions []condition
	routes     []*registered
}

// New returns a router, or all errors in its routes, joined: each is a
// [*signals.FieldError] that says whose route it is.
func New(c Config) (*Router, error) {
	r := &Router{strategy: c.Strategy.clone(), byKind: map[signals.Kind]*candidates{}, states: map[State]*State{}}
	r.add(TierStrategy, "", c.Strategy.Routes)
	r.add(TierAgent, "", c.Agent)
	for _, p := range c.Plugins {
		r.add(TierPlugin, p.Name, p.Routes)
	}
	for _, s := range slices.Concat(c.Strategy.Timers, c.Timers) {
		s.In = slices.Clone(s.In)
		r.timers = append(r.timers, s)
	}
	if err := errors.Join(append(c.Strategy.problems(), c.problems()...)...); err != nil {
		return nil, fmt.Errorf("routing: %w", err)
	}
	slices.SortStableFunc(r.all, func(a, b registered) int {
		return cmp.Or(cmp.Compare(a.tier, b.tier), byPriority(a.Priority, b.Priority))
	})
	r.index()
	for _, s := range append(slices.Clone(r.strategy.States), r.strategy.initial()) {
		r.states[s] = &s
	}
	return r, nil
}

func (r *Router) index() {
	for i := range r.all {
		route := &r.all[i]
		here := r.byKind[route.Kind]
		if here == nil {
			here = new(candidates)
			r.byKind[route.Kind] = here
		}
		here.conditions, here.routes = append(here.conditions, route.condition()), append(here.routes, route)
	}
}

func byPriority(a, b int) int { return cmp.Compare(b, a) }

func (r *Router) add(t Tier, plugin string, routes []Route) {
	for _, route := range routes {
		route.In = slices.Clone(route.In)
		r.all = append(r.all, registered{Route: route, tier: t, plugin: plugin, name: route.String()})
	}
}

// Customs returns the sorted names of the custom actions that routes refer to.
// An agent needs a function for each.
func (r *Router) Customs() []string {
	var names []string
	for _, route := range r.all {
		if route.Action.Verb == VerbCustom {
			names = append(names, route.Action.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Initial returns the initial state of the strategy; "" if it has no states.
func (r *Router) Initial() State { return r.strategy.initial() }
