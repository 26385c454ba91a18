package main

import (
	"math/rand/v2"
	"testing"
)

// Worth without and with stated groups and no outcome known, in decisions 1-20, 21-100 and 101-200: never below weight,
// which decides the first 20, but for the noise. Voters of one group that err independently count once votes show that.
func TestCopiesInGroupsAreOneFromTheFirstDecisionOn(t *testing.T) {
	measures(t)
	type team struct {
		name   string
		right  []float64
		labels int
		blocks []int
		shared float64
		gain   float64 // by groups in the first 20
		least  float64 // worth with groups, after that
	}
	for _, c := range some([]team{
		{"four copies of five", []float64{.9, .6, .6, .6, .6}, 2, []int{0, 1, 1, 1, 1}, 1, 60, 40},
		{"four of five, alike in nineteen of twenty", []float64{.9, .6, .6, .6, .6}, 2, []int{0, 1, 1, 1, 1}, .95, 40, 35},
		{"nine of three models, alike in nine of ten", []float64{.6, .6, .6, .6, .6, .75, .75, .75, .9}, 3, []int{0, 0, 0, 0, 0, 1, 1, 1, 2}, .9, 0, 35},
		{"four of five, alike in part", []float64{.9, .6, .6, .6, .6}, 2, []int{0, 1, 1, 1, 1}, .6, 10, 15},
		{"six copies of nine", []float64{.65, .65, .65, .65, .65, .65, .8, .8, .8}, 3, []int{0, 0, 0, 0, 0, 0, 1, 2, 3}, 1, 10, 50},
		{"six of nine, alike in part", []float64{.65, .65, .65, .65, .65, .65, .8, .8, .8}, 3, []int{0, 0, 0, 0, 0, 0, 1, 2, 3}, .7, 0, 45},
		{"nine of two models", []float64{.7, .7, .7, .7, .7, .75, .75, .75, .75}, 3, []int{0, 0, 0, 0, 0, 1, 1, 1, 1}, .6, -4, 45},
		{"three of one model and two", []float64{.6, .6, .6, .8, .8}, 3, []int{0, 0, 0, 1, 2}, .75, 5, 40},
		{"three strong of six, apart", []float64{.9, .9, .9, .65, .65, .65}, 3, []int{0, 0, 0, 1, 2, 3}, 0, -28, 55},
		{"five alike, apart", []float64{.75, .75, .75, .75, .75}, 3, []int{0, 0, 0, 1, 2}, 0, -10, 60},
		{"five of two models, hardly alike", []float64{.8, .8, .8, .75, .75}, 3, []int{0, 0, 0, 1, 1}, .2, -10, 60},
	}) {
		s := spec{name: c.name, right: c.right, labels: c.labels, blocks: c.blocks, shared: c.shared}
		draws := uint64(80 / len(c.right))
		untold, told := s.worths(draws, 0), s.worths(draws, 6)
		s.groups = true
		groups, both := s.worths(draws, 0), s.worths(draws, 6)
		t.Logf("%s: worth %.0f without groups, %.0f with; a sixth told %.0f and %.0f", s.name, untold, groups, told, both)
		if groups[0] < untold[0]+c.gain || min(groups[1], groups[2]) < c.least || both[2] < max(told[2], groups[2])-3 {
			t.Error("that is too little")
		}
	}
}

// worths are the default's by phase, with one in every so many outcomes known, or none.
func (s *spec) worths(seeds uint64, every int) (all [3]float64) {
	tell := make([]bool, decisions)
	for i := range tell {
		tell[i] = every > 0 && i%every == 0
	}
	var sum [3]score
	for seed := range seeds {
		w := s.draw(rand.New(rand.NewPCG(seed, 5)))
		for p, x := range decideAll(w, forms[0], engines(w)[0].engine, tell) {
			sum[p].join(&x)
		}
	}
	for p, x := range sum {
		all[p] = 100 * x.worth() / x.N
	}
	return all
}
