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

// strangers returns a model of voters that the suite does not use.
func strangers(t *testing.T, o *reliability.Options, choices []string, outcomes bool) *reliability.Model {
	t.Helper()
	return learned(t, o, choices, outcomes, func(*rand.Rand) float64 { return 1 })
}

// doubters returns such a model in which the voters have stated confidences below 1.
func doubters(t *testing.T, o *reliability.Options, choices []string) *reliability.Model {
	t.Helper()
	return learned(t, o, choices, false, func(r *rand.Rand) float64 { return 0.5 + r.Float64()/2 })
}

func learned(t *testing.T, o *reliability.Options, choices []string, outcomes bool, weight func(*rand.Rand) float64) *reliability.Model {
	t.Helper()
	b, err := reliability.NewBook(o)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
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
				if v := (consensus.Vote{Voter: fmt.Sprint("x", j), ProposalID: name, Stance: consensus.Agree, Weight: w}); c == said {
					cast = append(cast, v)
				} else if o != nil && o.Stances {
					v.Stance = consensus.Disagree
					cast = append(cast, v)
				}
			}
		}
		ballots, err := consensus.NewBallots(nil, choices, cast)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Observe(fmt.Sprint(i), ballots); err != nil {
			t.Fatal(err)
		}
		if outcomes && i%2 == 0 {
			if err := b.Resolve(fmt.Sprint(i), choices[truth]); err != nil {
				t.Fatal(err)
			}
		}
	}
	m := b.Learn()
	if !m.Certificate().OK {
		t.Fatal(m.Certificate().Reason())
	}
	return m
}

func TestStrategyKeepsTheRules(t *testing.T) {
	choices := []string{"one", "two", "three"}
	for name, s := range map[string]reliability.Strategy{
		"newcomers":        {},
		"own":              {Model: strangers(t, nil, choices, false)},
		"own, outcomes":    {Model: strangers(t, nil, choices, true)},
		"stances":          {Model: strangers(t, &reliability.Options{Stances: true}, choices, false)},
		"choices":          {Model: strangers(t, &reliability.Options{Choices: choices}, choices, false)},
		"own, stated":      {Model: doubters(t, nil, choices)},
		"stances, stated":  {Model: doubters(t, &reliability.Options{Stances: true}, choices)},
		"choices, stated":  {Model: doubters(t, &reliability.Options{Choices: choices}, choices)},
		"choices, outcome": {Model: strangers(t, &reliability.Options{Choices: choices}, choices, true)},
	} {
		if reliability.Racing && name != "own" && name != "choices, outcome" {
			continue // the rules are about numbers; two strategies are enough to find races when models are read
		}
		t.Run(name, func(t *testing.T) { consensustest.TestStrategy(t, s, 1, exceptions...) })
	}
}

func TestRoundDecidesAsTheStrategy(t *testing.T) {
	s := reliability.Strategy{Model: strangers(t, nil, []string{"a", "b"}, true)}
	round, err := consensus.NewRound(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"a", "b"} {
		if err := round.Propose(p); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 6 {
		v := consensus.Vote{Seq: uint64(i), Voter: fmt.Sprint("x", i), ProposalID: "a", Stance: consensus.Agree, Weight: 1}
		if err := round.Vote(v); err != nil {
			t.Fatal(err)
		}
		if got, want := round.Decision(), s.Decide(round.Decision().Ballots()); !got.Equal(want) {
			t.Errorf("round says %v, strategy %v", got, want)
		}
	}
}

func TestNamedStrategiesGainFromAModel(t *testing.T) {
	choices := []string{"a", "b"}
	m := strangers(t, &reliability.Options{Stances: true}, choices, true)
	r, ok := m.Reliability("x0", 2)
	if s, _ := m.Reliability("x6", 2); !ok || r.Sensitivity <= s.Sensitivity {
		t.Errorf("the best has %+v, the worst %+v", r, s)
	}
	b, err := consensus.NewBallots(&consensus.Options{Reliabilities: m}, choices, []consensus.Vote{
		{Voter: "x0", ProposalID: "a", Stance: consensus.Agree, Weight: 1},
		{Voter: "x6", ProposalID: "b", Stance: consensus.Agree, Weight: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := (consensus.Bayesian{}).Decide(b); d.Leader() != "a" {
		t.Errorf("%v, want the better voter to prevail", d)
	}
}
