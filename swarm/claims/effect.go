package claims

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// An Effect is what becomes of claims, in log order.
type Effect struct {
	Fall   []Claim // nothing that they rest on stands; those retracted come with them
	Weaken []Claim // some of what they rest on has fallen
}

// Retracted returns what is taken back, and what falls or is weakened with it.
func (g *Graph) Retracted() Effect {
	return g.effect(g.fallen(func(int) bool { return false }, -1))
}

// Without returns what falls if claims are retracted, with these claims. The error is an
// [*UnknownError].
func (g *Graph) Without(ids ...signals.ID) (Effect, error) {
	gone := map[int]bool{}
	for _, id := range ids {
		if _, err := g.claim(id); err != nil {
			return Effect{}, err
		}
		if vote, answers := g.answers[id]; answers {
			gone[vote] = true // equal answers of others stand
			continue
		}
		gone[g.at[id]] = true
	}
	return g.effect(g.fallen(func(n int) bool { return gone[n] }, -1)), nil
}

// Assume returns which claims fall if a claim is made true. The error is an
// [*UnknownError].
func (g *Graph) Assume(id signals.ID) (Effect, error) {
	if _, err := g.claim(id); err != nil {
		return Effect{}, err
	}
	return g.effect(g.fallen(func(int) bool { return false }, g.at[id])), nil
}

// Standing returns for each claim, in log order, whether it still stands if only those
// claims were made whose places in that order keep accepts.
func (g *Graph) Standing(keep func(i int) bool) []bool {
	stand, _ := g.fallen(func(n int) bool { return !keep(n) }, -1)
	for i := range stand {
		stand[i] = !stand[i]
	}
	return stand
}

// BehindVotes returns the findings on which votes rest, directly or by way of others, in
// log order.
func (g *Graph) BehindVotes() (all []Claim) {
	behind := make([]bool, len(g.all))
	for _, n := range slices.Backward(g.order) {
		if !behind[n] && g.all[n].Kind != signals.KindVote {
			continue
		}
		for _, i := range g.on[n] {
			behind[i] = true
		}
	}
	for i, c := range g.all {
		if behind[i] && c.isFinding() {
			all = append(all, c)
		}
	}
	return all
}

// fallen returns which claims have fallen, and which are weakened, without those that are
// gone or taken back and with one that is assumed; -1: none is.
func (g *Graph) fallen(gone func(int) bool, assumed int) (fallen, weak []bool) {
	fallen, weak = make([]bool, len(g.all)), make([]bool, len(g.all))
	for _, n := range g.order {
		stand, fell := 0, 0
		for _, i := range g.on[n] {
			if fallen[i] || i == assumed && g.all[n].Level == signals.Correlation {
				fell++
			} else {
				stand++
			}
		}
		if n != assumed {
			fallen[n] = g.gone[n] || gone(n) || fell > 0 && stand == 0
			weak[n] = !fallen[n] && fell > 0
		}
	}
	return fallen, weak
}

// sorted returns the claims, each after what it rests on: proposals, on which nothing
// rests, after all others, which rest on earlier findings.
func (g *Graph) sorted() (order []int) {
	var proposals []int
	for n, c := range g.all {
		if c.Kind == signals.KindProposal {
			proposals = append(proposals, n)
			continue
		}
		order = append(order, n)
	}
	return append(order, proposals...)
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
