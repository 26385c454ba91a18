package routing

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// problems returns what is wrong with the states and edges.
func (s *Strategy) problems() (all []error) {
	bad := func(field string, state State, problem string) {
		all = append(all, &signals.FieldError{Field: field, Value: string(state), Problem: problem})
	}
	for i, state := range s.States {
		field := fmt.Sprintf("strategy.states[%d]", i)
		if err := (signals.Limits{}).Name(field, string(state)); err != nil {
			all = append(all, err)
		}
		if slices.Contains(s.States[:i], state) {
			bad(field, state, "declared twice")
		}
	}
	if !s.declared(s.initial()) {
		bad("strategy.initial", s.Initial, undeclared)
	}
	for i, e := range s.Edges {
		if !s.declared(e.From) || e.From == "" {
			bad(fmt.Sprintf("strategy.edges[%d].from", i), e.From, undeclared)
		}
		if !s.declared(e.To) || e.To == "" {
			bad(fmt.Sprintf("strategy.edges[%d].to", i), e.To, undeclared)
		}
	}
	return all
}

const undeclared = "not a declared state"

// problems returns what is wrong with the routes and timers.
func (c *Config) problems() (all []error) {
	check := func(whose string, routes []Route) {
		for i := range routes {
			all = append(all, routes[i].problems(fmt.Sprintf("%s.routes[%d]", whose, i), &c.Strategy)...)
		}
	}
	check("strategy", c.Strategy.Routes)
	check("agent", c.Agent)
	for i, p := range c.Plugins {
		field := fmt.Sprintf("plugins[%d].name", i)
		if err := (signals.Limits{}).Name(field, p.Name); err != nil && len(p.Routes) > 0 {
			all = append(all, err)
		}
		if p.Name != "" && slices.ContainsFunc(c.Plugins[:i], func(q Plugin) bool { return q.Name == p.Name }) {
			all = append(all, &signals.FieldError{Field: field, Value: p.Name, Problem: "taken"})
		}
		check("plugin "+p.Name, p.Routes)
	}
	timers := slices.Concat(c.Strategy.Timers, c.Timers)
	for i := range timers {
		all = append(all, timers[i].problems(fmt.Sprintf("timers[%d]", i), &c.Strategy, timers[:i])...)
	}
	return all
}

func (r *Route) problems(field string, s *Strategy) (all []error) {
	if err := (signals.Limits{}).Name(field+".kind", string(r.Kind)); err != nil {
		all = append(all, err)
	}
	if err := r.Action.problem(field+".action", s); err != nil {
		all = append(all, err)
	}
	for _, state := range r.In {
		if !s.declared(state) || state == "" {
			all = append(all, &signals.FieldError{Field: field + ".in", Value: string(state), Problem: undeclared})
		}
	}
	return all
}

func (a Action) problem(field string, s *Strategy) error {
	if err := verbs.Check(a.Verb); err != nil {
		return &signals.FieldError{Field: field, Value: a.String(), Problem: "missing"}
	}
	switch a.Verb {
	case VerbTransition:
		if !s.declared(State(a.Name)) || a.Name == "" {
			return &signals.FieldError{Field: field, Value: a.String(), Problem: undeclared}
		}
	case VerbCustom:
		return signals.Limits{}.Name(field, a.Name)
	default:
		if a.Name != "" {
			return &signals.FieldError{Field: field, Value: a.String(), Problem: "takes no name"}
		}
	}
	return nil
}
