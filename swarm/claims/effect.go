package claims

import (
	"fmt"

	"gonum.org/v1/gonum/graph/topo"

	"github.com/swarmbus/swarmbus/signals"
)

// An Effect is what becomes of claims, in log order.
type Effect struct {
	Fall   []Claim // nothing that they rest on stands; those retracted come with them
	Weaken []Claim // some of what they rest on has fallen
}

// Without returns what falls if claims are retracted, with these claims. The error is an
// [*UnknownError].
func (g *Graph) Without(ids ...signals.ID) (Effect, error) {
	gone := map[int64]bool{}
	for _, id := range ids {
		if _, err := g.Claim(id); err != nil {
			return Effect{}, err
		}
		gone[g.at[id]] = true
	}
	return g.effect(g.fallen(func(n int64) bool { return gone[n] }, -1)), nil
}

// Assume returns what falls if somebody sees to it that a claim is true. The error is an
// [*UnknownError].
func (g *Graph) Assume(id signals.ID) (Effect, error) {
	if _, err := g.Claim(id); err != nil {
		return Effect{}, err
	}
	return g.effect(g.fallen(func(int64) bool { return false }, g.at[id])), nil
}

// Standing returns which signals still stand if only the claims that keep says so were
// made: those that have not fallen.
func (g *Graph) Standing(keep func(Claim) bool) map[signals.ID]bool {
	fallen, _ := g.fallen(func(n int64) bool { return !keep(g.all[n]) }, -1)
	stand := make(map[signals.ID]bool, len(g.at))
	for id, n := range g.at {
		stand[id] = !fallen[n]
	}
	return stand
}

// fallen returns which claims have fallen, and which are weakened, without those that are
// gone and with one that is assumed; -1: none is.
func (g *Graph) fallen(gone func(int64) bool, assumed int64) (fallen, weak []bool) {
	fallen, weak = make([]bool, len(g.all)), make([]bool, len(g.all))
	for _, n := range g.order {
		stand, fell := 0, 0
		for on := g.rests.To(n); on.Next(); {
			i := on.Node().ID()
			switch {
			case g.weak[[2]int64{i, n}]:
			case fallen[i], i == assumed && g.all[n].Level == signals.Correlation:
				fell++
			default:
				stand++
			}
		}
		if n != assumed {
			fallen[n] = gone(n) || fell > 0 && stand == 0
			weak[n] = !fallen[n] && fell > 0
		}
	}
	return fallen, weak
}

// sorted returns the claims, each after what it rests on.
func (g *Graph) sorted() (order []int64) {
	nodes, err := topo.Sort(g.rests)
	if err != nil {
		panic(fmt.Sprintf("claims: the links have a cycle: %v", err)) // findings rest on earlier ones, and nothing on votes but proposals
	}
	for _, n := range nodes {
		order = append(order, n.ID())
	}
	return order
}

func (g *Graph) effect(fallen, weak []bool) (e Effect) {
	for i, c := range g.all {
		if fallen[i] {
			e.Fall = append(e.Fall, c)
		} else if weak[i] {
			e.Weaken = append(e.Weaken, c)
		}
	}
	return e
}
