package routing_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// hundred has 100 routes for as many kinds as asked for, with predicates that
// say no but for one of the plugin's, which decides.
func hundred(tb testing.TB, kinds int) *routing.Machine {
	no := routing.When(func(s *signals.Signal[routing.Timer]) bool { return s.Payload.Name == "never" })
	var c routing.Config
	c.Strategy.States = []routing.State{"idle", "busy"}
	var plugin []routing.Route
	for i := range 99 {
		kind := routing.KindTimer
		if i%kinds != 0 {
			kind = signals.Kind(fmt.Sprint("acme.example/", i%kinds))
		}
		route := routing.Route{Kind: kind, When: no, Action: routing.Reject, Priority: i}
		switch i % 3 {
		case 0:
			c.Strategy.Routes = append(c.Strategy.Routes, route)
		case 1:
			c.Agent = append(c.Agent, route)
		default:
			plugin = append(plugin, route)
		}
	}
	plugin = append(plugin, routing.Route{Kind: routing.KindTimer, Action: routing.Transition("busy"), Priority: -1})
	c.Plugins = []routing.Plugin{{Name: "p", Routes: plugin}}
	return newRouter(tb, c).Machine()
}

func TestRoutingDoesNotAllocate(t *testing.T) {
	m, s := hundred(t, 10), timer("tick")
	if n := testing.AllocsPerRun(100, func() { m.Route(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkPredicates calls nothing but predicates of the hundred.
func BenchmarkPredicates(b *testing.B) {
	v := routing.View{Signal: timer("tick"), State: "idle"}
	for _, n := range []int{10, 99} {
		all := make([]routing.Predicate, n)
		for i := range all {
			all[i] = routing.When(func(s *signals.Signal[routing.Timer]) bool { return s.Payload.Name == "never" })
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				for _, p := range all {
					if p(v) {
						b.Fatal("it says yes")
					}
				}
			}
		})
	}
}

// BenchmarkDecide routes a signal among 100 routes: for ten kinds, so that ten
// predicates are asked; for one kind, so that 99 are; and for no kind at all.
// The cost of the predicates themselves is beside it.
func BenchmarkDecide(b *testing.B) {
	s := timer("tick")
	for name, m := range map[string]*routing.Machine{
		"10-kinds": hundred(b, 10), "1-kind": hundred(b, 1), "no-routes": newRouter(b, routing.Config{}).Machine(),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Route(s)
			}
		})
	}
}
