package consensus_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

// rhoOf returns the ρ that [consensus.Options] mean.
func rhoOf(o *consensus.Options) float64 {
	switch {
	case o == nil || o.Correlation == 0:
		return 0.2
	case o.Correlation == consensus.Independent:
		return 0
	default:
		return o.Correlation
	}
}

func TestStrategiesAgreeWithTheTable(t *testing.T) {
	for _, s := range consensus.Builtin() {
		t.Run(s.Name(), rapid.MakeCheck(func(t *rapid.T) {
			o := drawOptions(t)
			b, err := consensus.NewBallots(o, drawProposals(t), rapid.SliceOf(rapid.Custom(drawVote)).Draw(t, "votes"))
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "closed") {
				b = b.Close()
			}
			got, want := s.Decide(b), newReference(b, rhoOf(o), false).decide(s.Name())
			if !slices.Equal(got.Leaders, want.leaders) {
				t.Errorf("leaders %q, want %q", got.Leaders, want.leaders)
			}
			near(t, "support", got.Support, want.support)
			near(t, "none", got.None, want.none)
			if got.Outcome != want.outcome {
				t.Fatalf("%v, want %v", got, want.outcome)
			}
			near(t, "confidence", got.Confidence, want.confidence)
		}))
	}
}

func TestLearnedReliabilitiesReplaceTheStatedOdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := consensus.Options{Reliabilities: drawRates(t)}
		b, err := consensus.NewBallots(&o, []string{"a", "b", "c"}, rapid.SliceOf(rapid.Custom(drawVote)).Draw(t, "votes"))
		if err != nil {
			t.Fatal(err)
		}
		want := newReference(b, rhoOf(&o), true).softmax(rhoOf(&o))
		for i, tally := range b.Tallies() {
			near(t, "probability of "+tally.ProposalID, tally.Probability, want[i])
		}
		near(t, "none", consensus.Bayesian{}.Decide(b).None, want[3])
	})
}

func near(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 1e-6 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestVetoKeepsTheRules(t *testing.T) { consensustest.TestStrategy(t, veto, 1) }

func TestDecideComparesVotersWhereWeightsAreEqual(t *testing.T) {
	support := []float64{1}
	b := cast(t, nil, "a", "2* v agree a 0.5", "w disagree a 1")
	want(t, b.Decide("mine", support, 0, nil), consensus.Reached, "a")
	b = cast(t, nil, "a", "2* v disagree a 0.5", "w agree a 1")
	want(t, b.Decide("mine", support, 0, nil), consensus.Pending, "")
}
