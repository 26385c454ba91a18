package reliability_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// exceptions are those that the package documentation names.
var exceptions = []consensustest.Exception{
	{Rule: "confidence", Because: "it is the model's probability, which knows more than the tallies hold"},
}

// crew is a team of seven whose voters are right in 0.9 of the cases to 0.6.
func crew(t *testing.T, o *reliability.Options, choices []string, outcomes bool, weight func(*rand.Rand) float64) *reliability.Model {
	t.Helper()
	l, r := ledger(t, o), rand.New(rand.NewPCG(1, 1))
	for i := range 100 {
		truth := r.IntN(len(choices))
		var cast []consensus.Vote
		for j := range 7 {
			said := truth
			if r.Float64() > 0.9-float64(j)/20 {
				said = r.IntN(len(choices))
			}
			w := weight(r)
			for c, name := range choices {
				v := consensus.Vote{Voter: fmt.Sprint("x", j), ProposalID: name, Stance: consensus.Agree, Weight: w}
				if c != said {
					v.Stance = consensus.Disagree
				}
				if c == said || o != nil && o.Stances {
					cast = append(cast, v)
				}
			}
		}
		observe(t, l, fmt.Sprint(i), closed(nil, choices, cast))
		if outcomes && i%2 == 0 {
			resolve(t, l, fmt.Sprint(i), choices[truth])
		}
	}
	several, one := l.Models()
	if o != nil && o.Stances {
		return one
	}
	return several
}

func sure(*rand.Rand) float64 { return 1 }

func unsure(r *rand.Rand) float64 { return 0.5 + r.Float64()/2 }

func ledger(t *testing.T, o *reliability.Options) *reliability.Ledger {
	t.Helper()
	l, err := reliability.NewLedger(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func observe(t *testing.T, l *reliability.Ledger, id string, b consensus.Ballots) {
	t.Helper()
	if err := l.Observe(id, b); err != nil {
		t.Fatal(err)
	}
}

func resolve(t *testing.T, l *reliability.Ledger, id, right string) {
	t.Helper()
	if err := l.Resolve(id, right); err != nil {
		t.Fatal(err)
	}
}

func TestStrategyKeepsTheRules(t *testing.T) {
	choices := []string{"one", "two", "three"}
	for name, s := range map[string]reliability.Strategy{
		"newcomers":        {},
		"own":              {Model: crew(t, nil, choices, false, sure)},
		"own, outcomes":    {Model: crew(t, nil, choices, true, sure)},
		"stances":          {Model: crew(t, &reliability.Options{Stances: true}, choices, false, sure)},
		"choices":          {Model: crew(t, &reliability.Options{Choices: choices}, choices, false, sure)},
		"own, stated":      {Model: crew(t, nil, choices, false, unsure)},
		"stances, stated":  {Model: crew(t, &reliability.Options{Stances: true}, choices, false, unsure)},
		"choices, stated":  {Model: crew(t, &reliability.Options{Choices: choices}, choices, false, unsure)},
		"choices, outcome": {Model: crew(t, &reliability.Options{Choices: choices}, choices, true, sure)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			consensustest.TestStrategy(t, s, 1, exceptions...)
		})
	}
}
