package main

import (
	"math/rand/v2"
	"testing"
)

// Worth without and with groups told, in the first 20 decisions and later. Whose groups err apart loses nothing by them.
func TestCopiesInGroupsAreOneFromTheFirstDecisionOn(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		name         string
		right        []float64
		labels       int
		blocks       []int
		shared       float64
		first, later float64 // what groups gain at least
	}{
		{"four copies of five", []float64{.9, .6, .6, .6, .6}, 2, []int{0, 1, 1, 1, 1}, 1, 60, 30},
		{"four of five, alike in part", []float64{.9, .6, .6, .6, .6}, 2, []int{0, 1, 1, 1, 1}, .6, 10, -5},
		{"six copies of nine", []float64{.65, .65, .65, .65, .65, .65, .8, .8, .8}, 3, []int{0, 0, 0, 0, 0, 0, 1, 2, 3}, 1, 10, -1},
		{"six of nine, alike in part", []float64{.65, .65, .65, .65, .65, .65, .8, .8, .8}, 3, []int{0, 0, 0, 0, 0, 0, 1, 2, 3}, .7, 0, -5},
		{"nine of two models", []float64{.7, .7, .7, .7, .7, .75, .75, .75, .75}, 3, []int{0, 0, 0, 0, 0, 1, 1, 1, 1}, .6, -1, -5},
		{"three strong and two weak, apart", []float64{.9, .9, .9, .6, .6}, 2, []int{0, 0, 0, 1, 1}, 0, -5, -5},
		{"three strong of six, apart", []float64{.9, .9, .9, .65, .65, .65}, 3, []int{0, 0, 0, 1, 2, 3}, 0, -5, -5},
	} {
		s := spec{name: c.name, right: c.right, labels: c.labels, blocks: c.blocks, shared: c.shared}
		untold := s.worths(8)
		s.groups = true
		told := s.worths(8)
		t.Logf("%s: worth %.0f without groups, %.0f with", s.name, untold, told)
		if told[0] < untold[0]+c.first || told[1] < untold[1]+c.later || told[2] < untold[2]+c.later {
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
