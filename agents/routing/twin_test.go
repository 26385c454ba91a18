package routing_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// twin decides as the specification words it: the tiers one after the other, in
// each the matching route with the highest priority.
func twin(c routing.Config, state routing.State, s signals.Any) routing.Decision {
	var plugins []routing.Route
	for _, p := range c.Plugins {
		plugins = append(plugins, p.Routes...)
	}
	for i, tier := range [][]routing.Route{c.Strategy.Routes, c.Agent, plugins} {
		var best *routing.Route
		for _, r := range tier {
			matches := r.Kind == s.Kind() && (r.In == nil || slices.Contains(r.In, state)) &&
				(r.When == nil || r.When(routing.View{Signal: s, State: state}))
			if matches && (best == nil || r.Priority > best.Priority) {
				best = &r
			}
		}
		if best != nil {
			return routing.Decision{Action: best.Action, Tier: routing.Tier(i + 1), Route: best.Name}
		}
	}
	return routing.Decision{}
}

var (
	drawnStates = []routing.State{"idle", "busy", "done"}
	drawnKinds  = []signals.Kind{routing.KindStop, routing.KindTimer}
	predicates  = map[string]routing.Predicate{
		"none": nil,
		"no":   func(routing.View) bool { return false },
		"busy": func(v routing.View) bool { return v.State == "busy" },
		"tick": routing.When(func(s *signals.Signal[routing.Timer]) bool { return s.Payload.Name == "tick" }),
	}
)

// drawConfig draws routes that have different names.
func drawConfig(t *rapid.T) routing.Config {
	n := 0
	route := rapid.Custom(func(t *rapid.T) routing.Route {
		n++
		return routing.Route{
			Name: fmt.Sprint(n), Kind: rapid.SampledFrom(drawnKinds).Draw(t, "kind"),
			In:       rapid.SampledFrom([][]routing.State{nil, {"idle"}, {"busy", "done"}}).Draw(t, "in"),
			When:     predicates[rapid.SampledFrom([]string{"none", "no", "busy", "tick"}).Draw(t, "when")],
			Action:   rapid.SampledFrom([]routing.Action{routing.Continue, routing.Reject, routing.ForceStop, routing.Custom("x")}).Draw(t, "action"),
			Priority: rapid.IntRange(-2, 2).Draw(t, "priority"),
		}
	})
	routes := rapid.SliceOfN(route, 0, 6)
	return routing.Config{
		Strategy: routing.Strategy{States: drawnStates, Routes: routes.Draw(t, "strategy")},
		Agent:    routes.Draw(t, "agent"),
		Plugins:  []routing.Plugin{{Name: "p", Routes: routes.Draw(t, "p")}, {Name: "q", Routes: routes.Draw(t, "q")}},
	}
}

func drawSignal(t *rapid.T) signals.Any {
	return rapid.SampledFrom([]signals.Any{stop(), timer("tick"), timer("tock"), say("hello")}).Draw(t, "signal")
}

func TestRouterDecidesAsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, s, state := drawConfig(t), drawSignal(t), rapid.SampledFrom(drawnStates).Draw(t, "state")
		r, err := routing.New(c)
		if err != nil {
			t.Fatal(err)
		}
		got, want := r.Decide(state, s), twin(c, state, s)
		if got.Action != want.Action || got.Tier != want.Tier || got.Route != want.Route || got.Err != nil {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if got.From != state || got.To != state {
			t.Fatalf("without a transition the state went from %q to %q, in %q", got.From, got.To, state)
		}
		checkExplanation(t, c, r.Explain(state, s), got)
	})
}

// checkExplanation holds what is true of every explanation: it has every route,
// and exactly the one that decided has won.
func checkExplanation(t *rapid.T, c routing.Config, e routing.Explanation, d routing.Decision) {
	t.Helper()
	routes := len(c.Strategy.Routes) + len(c.Agent)
	for _, p := range c.Plugins {
		routes += len(p.Routes)
	}
	if len(e.Routes) != routes {
		t.Fatalf("%d routes are explained, of %d", len(e.Routes), routes)
	}
	var won []string
	for _, r := range e.Routes {
		if r.Why == "" {
			t.Fatalf("nothing says why: %+v", r)
		}
		if r.Won {
			won = append(won, r.Name)
		}
	}
	var want []string
	if d.Tier != 0 {
		want = []string{d.Route}
	}
	if diff := cmp.Diff(want, won); diff != "" {
		t.Fatalf("won (-want +got):\n%s", diff)
	}
}

// Whatever the priorities, the route that decides is of the highest tier in
// which any route matches.
func TestNoPriorityLetsALowerTierWin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, s, state := drawConfig(t), drawSignal(t), rapid.SampledFrom(drawnStates).Draw(t, "state")
		for _, tier := range [][]routing.Route{c.Strategy.Routes, c.Agent, c.Plugins[0].Routes, c.Plugins[1].Routes} {
			for i := range tier {
				tier[i].Priority = rapid.Int().Draw(t, "any priority")
			}
		}
		r, err := routing.New(c)
		if err != nil {
			t.Fatal(err)
		}
		highest := routing.Tier(0)
		for _, route := range r.Explain(state, s).Routes {
			if route.Matches && (highest == 0 || route.Tier < highest) {
				highest = route.Tier
			}
		}
		if got := r.Decide(state, s).Tier; got != highest || got != twin(c, state, s).Tier {
			t.Fatalf("the %v tier decided, where %v matches", got, highest)
		}
	})
}
