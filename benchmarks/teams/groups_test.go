package main

import (
	"math/rand/v2"
	"testing"
)

// Worth in the first 20 decisions, and in the last 100.
func TestCopiesInGroupsAreOneFromTheFirstDecisionOn(t *testing.T) {
	measures(t)
	for _, s := range []spec{
		{
			name: "six copies of nine", right: []float64{.65, .65, .65, .65, .65, .65, .8, .8, .8}, labels: 3,
			blocks: []int{0, 0, 0, 0, 0, 0, 1, 2, 3}, shared: 1,
		},
		{name: "four copies of five", right: []float64{.9, .6, .6, .6, .6}, labels: 2, blocks: []int{0, 1, 1, 1, 1}, shared: 1},
	} {
		untold := s.worths(8)
		s.groups = true
		told := s.worths(8)
		t.Logf("%s: worth %.0f without groups, %.0f with", s.name, untold, told)
		if told[0] < untold[0]+20 || told[2] < untold[2]-1 {
			t.Errorf("%s: worth %.0f with groups, without %.0f", s.name, told, untold)
		}
	}
}

// worths are the default's by phase, with no outcome told.
func (s *spec) worths(seeds uint64) (all [3]float64) {
	var sum [3]score
	for seed := range seeds {
		w := s.draw(rand.New(rand.NewPCG(seed, 5)))
		for p, x := range decideAll(w, forms[0], engines(w)[0].engine, make([]bool, len(w.tasks))) {
			sum[p].join(&x)
		}
	}
	for p, x := range sum {
		all[p] = 100 * x.worth() / x.N
	}
	return all
}
