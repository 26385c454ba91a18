package main

import (
	"math"
	"math/rand/v2"
)

// A world has the planted parameters: the skills of agents, and the effects of talk on them.
// Skills are log-odds at a question of mean difficulty. The zero value of a probability is never.
type world struct {
	skill   []float64 // of each agent
	family  []int     // of each agent: those of one family err together
	answers int       // that a question has

	spread  float64 // of difficulty between questions
	common  float64 // share of it that all families have in common
	attract float64 // of wrong answers, those that are the family's own
	shared  float64 // of questions, those at which families have that one in common

	conform float64 // adopts the majority's answer
	truth   float64 // by which a right answer persuades better than a wrong one
	redraw  float64 // changes its mind on reflection

	proves   []float64 // of each agent that is right: can prove it
	accepts  float64   // a proof that is valid
	deceived float64   // by an argument that is not valid
	rotates  bool      // the skills of agents change places with each question

	stubborn, hostile, follows []bool
	persuades                  float64 // per hostile agent and round
	sleeps                     bool    // hostile agents are honest while outcomes are revealed

	private bool    // each agent has a piece of the evidence of its own
	misled  float64 // weight of the shared evidence, for a wrong answer
	noise   float64 // of one agent's judgement of the pieces
	tells   float64 // its piece, unprompted, in a round
	asked   float64 // tells its piece when asked

	differ, checkable bool // properties of the task
}

// A kind makes a world from the ranges of its kind.
type kind struct {
	name string
	make func(r *rand.Rand) *world
}

func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

func fill(n int, x float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = x
	}
	return all
}

// team returns a world of agents with the same skill, of some families.
func team(n, families, answers int, skill float64) *world {
	w := &world{
		skill: fill(n, skill), family: make([]int, n), answers: answers, spread: 1.7, common: .6, attract: .7, shared: .7,
		conform: .3, truth: .1, redraw: .3, proves: fill(n, 0), stubborn: make([]bool, n), hostile: make([]bool, n), follows: make([]bool, n),
		persuades: .07,
	}
	for i := range w.family {
		w.family[i] = i % families
	}
	return w
}

// experts returns a world in which one of nine agents is good.
func experts(r *rand.Rand) *world {
	w := team(9, 9, 4, -.45)
	w.skill[0] = 2.8
	w.accepts, w.deceived = between(r, .5, .8), between(r, .05, .30)
	w.proves = fill(9, .3)
	w.proves[0] = .9
	return w
}

func apart(r *rand.Rand, misled, noise float64) *world {
	n := 4 + r.IntN(6)
	w := team(n, n, 4, 0)
	w.private, w.misled, w.noise, w.tells, w.asked, w.differ = true, misled, noise, .10, .9, true
	return w
}

func hostile(r *rand.Rand, n int) *world {
	w := team(9, 3, 4, 1.3)
	w.persuades = between(r, .03, .12)
	for i := range n {
		w.hostile[i] = true
	}
	return w
}

// worlds are those of the lead, with the ranges of their parameters. RESULTS.md names the
// sources.
var worlds = []kind{
	{"W1 shared evidence", func(r *rand.Rand) *world {
		w := team(9, 3, 2+r.IntN(5), between(r, .35, 1.8))
		w.truth = between(r, 0, .1)
		return w
	}},
	{"W2 one small model", func(r *rand.Rand) *world {
		w := team(9, 1, 4, .1)
		w.conform, w.truth, w.redraw, w.spread = .85, 0, .37, 1.5
		return w
	}},
	{"W3 facts apart, complementary", func(r *rand.Rand) *world { return apart(r, 0, 1) }},
	{"W3 facts apart, hidden", func(r *rand.Rand) *world { return apart(r, 2.2, .8) }},
	{"W4 rotating expert, proofs", func(r *rand.Rand) *world {
		w := experts(r)
		w.rotates, w.checkable = true, true
		return w
	}},
	{"W5 fixed expert, no proofs", func(r *rand.Rand) *world {
		w := experts(r)
		w.accepts, w.deceived, w.proves = 0, 0, fill(9, 0)
		return w
	}},
	{"W6 stubborn and sycophants", func(*rand.Rand) *world {
		w := team(9, 3, 4, .8)
		w.truth = .05
		for i := range 3 {
			w.stubborn[i], w.skill[i], w.follows[3+i] = true, -.2, true
		}
		return w
	}},
	{"W7 one hostile of nine", func(r *rand.Rand) *world { return hostile(r, 1) }},
	{"W7 three hostile of nine", func(r *rand.Rand) *world { return hostile(r, 3) }},
	{"W7 three sleepers of nine", func(r *rand.Rand) *world {
		w := hostile(r, 3)
		w.sleeps = true
		return w
	}},
	{"W8 seven clones of nine", func(*rand.Rand) *world {
		w := team(9, 3, 4, .6)
		w.family = []int{0, 0, 0, 0, 0, 0, 0, 1, 2}
		w.common, w.shared = .4, .5
		return w
	}},
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
