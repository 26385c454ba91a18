package main

import (
	"math/rand/v2"
	"strconv"

	"github.com/swarmbus/swarmbus/internal/votes"
)

// spec is a team whose voters are right as often as planted.
type spec struct {
	name   string
	right  []float64
	labels int
	blocks []int   // which block a voter is of; nil: all are on their own
	shared float64 // how often a block answers as one
	then   []float64
	joins  int  // the task at which the last voter joins
	groups bool // blocks are stated as groups
	own    bool // every task has as many answers of its own
}

const decisions = 200

// specs are equal voters, one strong among weak ones, a harmful one, copies of one model, and, below the first
// eleven, one that changes and one that joins late.
var specs = []spec{
	{name: "one strong of three", right: []float64{.95, .6, .6}, labels: 2},
	{name: "one harmful of three", right: []float64{.95, .55, .3}, labels: 2},
	{name: "three equal", right: []float64{.8, .8, .8}, labels: 2},
	{name: "one harmful of four", right: []float64{.95, .75, .5, .2}, labels: 2},
	{name: "one strong of four", right: []float64{.95, .7, .6, .6}, labels: 2},
	{name: "one harmful of five", right: []float64{.95, .75, .7, .6, .3}, labels: 2},
	{name: "five equal", right: []float64{.7, .7, .7, .7, .7}, labels: 2},
	{name: "four copies of five", right: []float64{.9, .6, .6, .6, .6}, labels: 2, blocks: []int{0, 1, 1, 1, 1}, shared: .6},
	{name: "seven, four choices", right: []float64{.9, .8, .7, .7, .6, .6, .5}, labels: 4},
	{name: "three strong of nine", right: []float64{.85, .85, .85, .55, .55, .55, .55, .55, .55}, labels: 2},
	{
		name: "nine of two models", right: []float64{.8, .8, .8, .8, .65, .65, .65, .65, .65}, labels: 3,
		blocks: []int{0, 0, 0, 0, 1, 1, 1, 1, 1}, shared: .7,
	},
	{name: "the best gets worse", right: []float64{.95, .75, .7, .65, .6}, labels: 2, then: []float64{.6, .75, .7, .65, .6}},
	{name: "the best joins late", right: []float64{.6, .6, .7, .95}, labels: 2, joins: 100},
}

// many are teams with many ways to be wrong. They are no part of the means.
var many = []spec{
	{name: "three, answers of their own", right: []float64{.75, .6, .45}, labels: 21, own: true},
	{name: "five, answers of their own", right: []float64{.7, .6, .5, .4, .3}, labels: 21, own: true},
	{name: "five equal, six choices", right: []float64{.5, .5, .5, .5, .5}, labels: 6},
}

// shown are how many of the specs are what the means are over.
const shown = 11

func (s *spec) draw(r *rand.Rand) *world {
	w := &world{right: s.right}
	if s.groups {
		w.groups = map[string]string{}
	}
	for l := range s.labels {
		if !s.own {
			w.labels = append(w.labels, s.label(0, l))
		}
	}
	for j := range s.right {
		w.voters = append(w.voters, "voter "+strconv.Itoa(j+1))
		if s.groups {
			w.groups[w.voters[j]] = strconv.Itoa(s.blocks[j])
		}
	}
	for n := range decisions {
		w.tasks = append(w.tasks, s.task(w, n, r))
	}
	return w
}

// label is the name of an answer to task n.
func (s *spec) label(n, l int) string {
	if s.own {
		return strconv.Itoa(n) + "." + strconv.Itoa(l)
	}
	return strconv.Itoa(l)
}

func (s *spec) task(w *world, n int, r *rand.Rand) task {
	truth := r.IntN(s.labels)
	wrong := func() int { return (truth + 1 + r.IntN(s.labels-1)) % s.labels }
	right := s.right
	if s.then != nil && n >= decisions/2 {
		right = s.then
	}
	type luck struct {
		at      float64
		instead int
	}
	blocks := map[int]luck{}
	t := task{truth: s.label(n, truth)}
	for j, p := range right {
		mine := luck{r.Float64(), wrong()}
		if s.blocks != nil {
			b := s.blocks[j]
			if _, ok := blocks[b]; !ok {
				blocks[b] = luck{r.Float64(), wrong()}
			}
			if r.Float64() < s.shared {
				mine = blocks[b]
			}
		}
		if s.joins > n && j == len(right)-1 {
			continue
		}
		said := truth
		if mine.at >= p {
			said = mine.instead
		}
		t.cast = append(t.cast, votes.Vote{Voter: w.voters[j], Label: s.label(n, said), Confidence: 1})
	}
	return t
}
