package teams

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A Route says what an agent does about signals of one kind: a [routing.Route] whose predicate is a
// table of conditions, all of which have to hold. Kind and Action are required.
type Route struct {
	Name     string          `json:"name,omitempty" jsonschema:"What the route is called where it decides. Default: the kind and the action."`
	Kind     Kind            `json:"kind" jsonschema:"The kind of signals that the route is for, such as user:message, stop, timer, tool:result or vote."`
	In       []routing.State `json:"in,omitempty" jsonschema:"States of the strategy. Default: any."`
	When     Conditions      `json:"when,omitempty" jsonschema:"What the signal's members have to be, each a glob or a comparison such as >= 0.8; source is who said it. Default: anything."`
	Action   routing.Action  `json:"action" jsonschema:"continue, reject, graceful-stop, force-stop, or transition: and a state."`
	Priority int             `json:"priority,omitempty" jsonschema:"Within its tier: the highest first, then the first in the file. Default: 0."`
}

// A Kind is the kind of a signal, also of one that only some program publishes.
type Kind signals.Kind

// Conditions are what members of a signal have to be, by [tools.Condition].
type Conditions map[string]any

// A Machine is the strategy of an agent, which decides before its own routes: see [routing.Strategy].
type Machine struct {
	States []routing.State `json:"states,omitempty" jsonschema:"All states, the initial one first. Default: none."`
	Edges  []Edge          `json:"edges,omitempty" jsonschema:"The transitions that are allowed. Default: all."`
	Routes []Route         `json:"routes,omitempty" jsonschema:"Routes with precedence over all others."`
	Timers []Timer         `json:"timers,omitempty" jsonschema:"What makes a signal of the kind timer."`
}

// An Edge allows a transition between two states.
type Edge struct {
	From routing.State `json:"from" jsonschema:"The state that is left."`
	To   routing.State `json:"to" jsonschema:"The state that is entered."`
	When Conditions    `json:"when,omitempty" jsonschema:"What the signal's members have to be. Default: anything."`
}

// A Timer is a [routing.Schedule].
type Timer struct {
	Name  string          `json:"name" jsonschema:"Name of the timer, which is a member of its signals."`
	After Duration        `json:"after" jsonschema:"From the beginning of a solve, or since one of the states in was entered."`
	Every Duration        `json:"every,omitempty" jsonschema:"And then again after each of these. Default: once."`
	In    []routing.State `json:"in,omitempty" jsonschema:"States in which it runs. Default: always."`
}

// Router returns the router of the agent; nil: it has no routes. The error joins a
// [*signals.FieldError] for each fault.
func (a Agent) Router() (*routing.Router, error) {
	if a.Strategy == nil && len(a.Routes) == 0 {
		return nil, nil
	}
	var c routing.Config
	var wrong []error
	read := func(tier string, routes []Route) (all []routing.Route) {
		for i, r := range routes {
			when, err := r.When.predicate()
			if err == nil {
				err = r.check()
			}
			if err != nil {
				wrong = append(wrong, &signals.FieldError{Field: fmt.Sprintf("%s[%d]", tier, i), Problem: err.Error()})
			}
			all = append(all, routing.Route{Name: r.Name, Kind: signals.Kind(r.Kind), In: r.In, When: when, Action: r.Action, Priority: r.Priority})
		}
		return all
	}
	c.Agent = read("routes", a.Routes)
	if s := a.Strategy; s != nil {
		c.Strategy.States, c.Strategy.Routes = s.States, read("strategy.routes", s.Routes)
		for i, e := range s.Edges {
			guard, err := e.When.predicate()
			if err != nil {
				wrong = append(wrong, &signals.FieldError{Field: fmt.Sprintf("strategy.edges[%d]", i), Problem: err.Error()})
			}
			c.Strategy.Edges = append(c.Strategy.Edges, routing.Edge{From: e.From, To: e.To, Guard: guard})
		}
		for _, t := range s.Timers {
			c.Strategy.Timers = append(c.Strategy.Timers, routing.Schedule{Name: t.Name, After: time.Duration(t.After), Every: time.Duration(t.Every), In: t.In})
		}
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	return routing.New(c)
}

// check returns what package routing cannot know to be wrong with a route of a file.
func (r Route) check() error {
	known := append(Hears(), routing.KindUserMessage, routing.KindStop, routing.KindTimer)
	kind := signals.Kind(r.Kind)
	if meant := text.Suggest(kind, known); kind != "" && !slices.Contains(known, kind) && meant != "" {
		return fmt.Errorf("kind: %q is not known%s", kind, meant)
	}
	if r.Action.Verb == routing.VerbCustom {
		return errors.New("action: an action with a name of its own is a function of a program")
	}
	return nil
}

// predicate returns what holds of signals that meet all conditions; nil: there are none.
func (c Conditions) predicate() (routing.Predicate, error) {
	if len(c) == 0 {
		return nil, nil
	}
	var all []tools.Condition
	for _, name := range slices.Sorted(maps.Keys(c)) {
		one, err := conditionOf(name, c[name])
		if err == nil {
			err = one.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("when: %w", err)
		}
		all = append(all, one)
	}
	return func(v routing.View) bool {
		members := membersOf(v.Signal)
		return !slices.ContainsFunc(all, func(one tools.Condition) bool {
			holds, err := one.Holds(members)
			return err != nil || !holds
		})
	}, nil
}

// membersOf returns the payload of a signal by the names of its members, and its source.
func membersOf(s signals.Any) map[string]any {
	members := map[string]any{}
	if body, err := json.Marshal(s.Body()); err == nil {
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		_ = d.Decode(&members) // one that is no object has no members
	}
	members["source"] = s.Head().Source
	return members
}
