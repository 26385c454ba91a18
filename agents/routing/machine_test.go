package routing_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

func TestStopInAnyState(t *testing.T) {
	r := newRouter(t, routing.Config{Strategy: routing.Strategy{
		States: drawnStates, Routes: []routing.Route{{Kind: routing.KindStop, Action: routing.ForceStop}},
	}})
	for _, state := range drawnStates {
		if d := r.Decide(state, stop()); d.Action != routing.ForceStop || d.To != state {
			t.Errorf("%s: got %+v", state, d)
		}
	}
}

func TestTimerLeavesIdle(t *testing.T) {
	m := newRouter(t, routing.Config{Strategy: routing.Strategy{
		States: []routing.State{"check", "idle"}, Initial: "idle",
		Routes: []routing.Route{{Kind: routing.KindTimer, In: []routing.State{"idle"}, Action: routing.Transition("check")}},
	}}).Machine()
	if d := m.Route(timer("tick")); d.From != "idle" || d.To != "check" || m.State() != "check" {
		t.Errorf("got %+v", d)
	}
	if d := m.Route(timer("tick")); d.Action != routing.Unrouted || m.State() != "check" {
		t.Errorf("got %+v, want the route to be for idle alone", d)
	}
}

func TestGuardsAreAskedInTheOrderOfPriority(t *testing.T) {
	var asked []string
	guard := func(name string, says bool) routing.Edge {
		return routing.Edge{Name: name, From: "idle", To: "busy", Guard: func(v routing.View) bool {
			if v.State != "idle" || v.Signal.Kind() != routing.KindStop {
				t.Errorf("the guard sees %+v", v)
			}
			asked = append(asked, name)
			return says
		}}
	}
	edges := []routing.Edge{guard("low", true), guard("high", false), guard("middle", true), guard("other way", true), guard("first", false)}
	edges[0].Priority, edges[1].Priority, edges[4].Priority = -1, 9, 9
	edges[3].From, edges[3].To, edges[3].Priority = "busy", "idle", 99
	m := newRouter(t, routing.Config{Strategy: routing.Strategy{
		States: drawnStates, Edges: edges, Routes: []routing.Route{{Kind: routing.KindStop, Action: routing.Transition("busy")}},
	}}).Machine()
	d := m.Route(stop())
	if diff := cmp.Diff([]string{"high", "first", "middle"}, asked); diff != "" || d.Edge != "middle" || d.To != "busy" || d.Err != nil {
		t.Errorf("got %+v, asked %s", d, diff)
	}
}

func TestTransitionThatNoEdgeAllowsRejects(t *testing.T) {
	for problem, edges := range map[string][]routing.Edge{
		"no edge":                    {{From: "busy", To: "idle"}, {From: "done", To: "busy"}},
		"no guard allows it":         {{From: "idle", To: "busy", Guard: func(routing.View) bool { return false }}},
		"guard of gate panicked":     {{Name: "gate", From: "idle", To: "busy", Guard: boom}, {From: "idle", To: "busy", Priority: -1}},
		"guard of idle -> busy pani": {{From: "idle", To: "busy", Guard: boom}},
	} {
		m := newRouter(t, routing.Config{
			Strategy: routing.Strategy{States: drawnStates, Edges: edges},
			Plugins: []routing.Plugin{{Name: "p", Routes: []routing.Route{
				{Name: "go", Kind: routing.KindStop, Action: routing.Transition("busy")},
			}}},
		}).Machine()
		d := m.Route(stop())
		var why *routing.TransitionError
		if d.Action != routing.Reject || d.Route != "go" || d.To != "idle" || m.State() != "idle" || !errors.As(d.Err, &why) {
			t.Errorf("%s: got %+v in %q, want a reject", problem, d, m.State())
			continue
		}
		if !strings.Contains(why.Error(), problem) || why.From != "idle" || why.To != "busy" {
			t.Errorf("got %v, want it to say %q", why, problem)
		}
	}
}

func TestTransitionToTheSameStateNeedsNoEdge(t *testing.T) {
	r := newRouter(t, routing.Config{Strategy: routing.Strategy{
		States: drawnStates, Edges: []routing.Edge{}, Routes: []routing.Route{{Kind: routing.KindStop, Action: routing.Transition("busy")}},
	}})
	if d := r.Decide("busy", stop()); d.Action != routing.Transition("busy") || d.To != "busy" || d.Err != nil {
		t.Errorf("got %+v", d)
	}
	if d := r.Decide("idle", stop()); d.Action != routing.Reject {
		t.Errorf("got %+v, want no edges to allow nothing", d)
	}
}

func TestMachinesOfARouterHaveStatesOfTheirOwn(t *testing.T) {
	r := newRouter(t, routing.Config{Strategy: bank()})
	a, b := r.Machine(), r.Machine()
	a.Route(signals.New(signals.Header{}, signals.Task{Task: "x"}))
	if a.State() != "transaction" || b.State() != "idle" {
		t.Errorf("got %q and %q", a.State(), b.State())
	}
}

// TestASignalIsDecidedOnAgainWhereTheStateChangedMeanwhile lets another signal come while a
// predicate looks at the first.
func TestASignalIsDecidedOnAgainWhereTheStateChangedMeanwhile(t *testing.T) {
	var m *routing.Machine
	var seen []routing.State
	m = newRouter(t, routing.Config{Strategy: routing.Strategy{
		States: []routing.State{"idle", "transaction"},
		Routes: []routing.Route{
			{Kind: routing.KindStop, Action: routing.Transition("transaction")},
			{Kind: routing.KindTimer, In: []routing.State{"transaction"}, Action: routing.Reject},
			{Kind: routing.KindTimer, Action: routing.Continue, When: func(v routing.View) bool {
				if seen = append(seen, v.State); len(seen) == 1 {
					m.Route(stop())
				}
				return true
			}},
		},
	}}).Machine()
	if d := m.Route(timer("tick")); d.Action != routing.Reject || d.From != "transaction" || m.State() != "transaction" {
		t.Errorf("got %+v in %q, after it was seen in %q", d, m.State(), seen)
	}
}

// Of many signals that arrive at once while the strategy is idle, one begins the
// transaction, whatever predicates and guards do meanwhile.
func TestTransitionsAreAtomic(t *testing.T) {
	const callers, rounds = 8, 200
	var m *routing.Machine
	looks := func(routing.View) bool { return m.State() != "" } // no lock is held
	m = newRouter(t, routing.Config{Strategy: routing.Strategy{
		States: []routing.State{"idle", "transaction"},
		Edges:  []routing.Edge{{From: "idle", To: "transaction", Guard: looks}, {From: "transaction", To: "idle"}},
		Routes: []routing.Route{
			{Kind: routing.KindTimer, When: looks, In: []routing.State{"idle"}, Action: routing.Transition("transaction")},
			{Kind: routing.KindTimer, Action: routing.Reject},
			{Kind: routing.KindStop, Action: routing.Transition("idle")},
		},
	}}).Machine()
	for range rounds {
		began := make(chan bool, callers)
		var callersDone sync.WaitGroup
		for range callers {
			callersDone.Go(func() { began <- m.Route(timer("tick")).Action != routing.Reject })
		}
		callersDone.Wait()
		close(began)
		n := 0
		for b := range began {
			if b {
				n++
			}
		}
		if n != 1 || m.State() != "transaction" {
			t.Fatalf("%d began a transaction, want 1", n)
		}
		m.Route(stop())
	}
}
