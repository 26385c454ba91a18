package consensus_test

import (
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestWithPriorIsTheProbabilityBeforeVotes(t *testing.T) {
	b, err := consensus.NewBallots(&consensus.Options{Correlation: consensus.Independent}, []string{"a"}, []consensus.Vote{
		{Voter: "v", ProposalID: "a", Stance: consensus.Agree, Weight: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	coin := b.WithReliabilities(consensus.Rates{"v": {Sensitivity: 0.5, Specificity: 0.5}})
	for _, c := range []struct{ given, want float64 }{{0.5, 0.5}, {0.8, 0.8}, {0.2, 0.2}, {1, 0.99}, {-1, 0.01}} {
		if d := (consensus.Bayesian{}).Decide(coin.WithPrior(c.given)); math.Abs(d.Support-c.want) > 1e-6 {
			t.Errorf("expecting %v, a vote that says nothing gives %v, want %v", c.given, d.Support, c.want)
		}
	}
	right := b.WithReliabilities(consensus.Rates{"v": {Sensitivity: 0.9, Specificity: 0.9}}).WithPrior(0.8)
	if d, want := (consensus.Bayesian{}).Decide(right), 0.9*0.8/(0.9*0.8+0.1*0.2); math.Abs(d.Support-want) > 1e-6 {
		t.Errorf("a vote right in nine of ten for a proposal right in eight of ten gives %v, want %v", d.Support, want)
	}
	for _, s := range []consensus.Strategy{consensus.Bayesian{}, consensus.ConfidenceWeighted{}} {
		if plain, d := s.Decide(b), s.Decide(b.WithPrior(0.9)); d.Support != plain.Support {
			t.Errorf("%s uses the probability without learned reliabilities: %v, was %v", s.Name(), d.Support, plain.Support)
		}
	}
}

func TestWithPriorAndWithCorrelationTakeAnyNumber(t *testing.T) {
	b, err := consensus.NewBallots(nil, []string{"p"}, []consensus.Vote{{Voter: "v", ProposalID: "p", Stance: consensus.Agree, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 7, -7} {
		for _, known := range []consensus.Ballots{b.WithPrior(x), b.WithCorrelation(x)} {
			d := consensus.Bayesian{}.Decide(known)
			if !(d.Support >= 0 && d.Support <= 1 && d.Confidence >= 0 && d.Confidence <= 1) {
				t.Errorf("%v: support %v, confidence %v", x, d.Support, d.Confidence)
			}
		}
	}
	if got, want := (consensus.Bayesian{}).Decide(b.WithPrior(math.NaN())), (consensus.Bayesian{}).Decide(b.WithPrior(0.5)); got.Support != want.Support {
		t.Errorf("expecting NaN: support %v, want %v as for 1/2", got.Support, want.Support)
	}
}
