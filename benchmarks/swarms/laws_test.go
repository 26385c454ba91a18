package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Under any protocol, agents that never know the answer are never right, since only the
// agents' own knowledge leads to the right one. Agents that know it are always right.
func TestNoProtocolExceedsItsAgentsKnowledge(t *testing.T) {
	t.Parallel()
	for _, skill := range []float64{-50, 50} {
		w := team(5, 2, 4, skill)
		for i := range contenders {
			c := &contenders[i]
			if c.known > 0 {
				continue // they learn from answers to other questions
			}
			sc, err := c.play(w, 7, 10, part{0, 6})
			if err != nil {
				t.Fatal(err)
			}
			if got := sc.Leads / float64(sc.N); got != map[bool]float64{true: 1}[skill > 0] {
				t.Errorf("%s of agents with skill %v: right in %v", c.name, skill, got)
			}
		}
	}
}

func TestNoRivalCostsMoreThanTheBudget(t *testing.T) {
	t.Parallel()
	for _, kind := range worlds {
		w := kind.make(rand.New(rand.NewPCG(1, 7)))
		for i := range contenders {
			c := &contenders[i]
			if c.beyond || c.known > 0 {
				continue
			}
			sc, err := c.play(w, 7, 10, part{0, 4})
			if err != nil {
				t.Fatal(err)
			}
			if cost := sc.Cost / float64(sc.N); cost > 10 {
				t.Errorf("%s in %s: %.2f calls", c.name, kind.name, cost)
			}
		}
	}
}

// The same seed gives the same figures, so that a table can be checked.
func TestFiguresRepeat(t *testing.T) {
	t.Parallel()
	figures := func() string {
		o := options{teams: 1, questions: 1, workers: 2, budgets: []int{10}, seed: 3}
		var b strings.Builder
		if err := o.report(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if one, other := figures(), figures(); one != other {
		t.Error("a second run differs")
	}
}
