package consensus_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// The rule of the package documentation, with what was learned of the voters: of those who are right more
// often than not.
func TestAnotherVoterForTheWinnerNeverUnseatsItWithLearnedRates(t *testing.T) {
	for _, s := range consensus.Builtin() {
		if s.Name() == "entropy" {
			continue // it waits until opinion has gathered, see the table
		}
		t.Run(s.Name(), rapid.MakeCheck(func(t *rapid.T) {
			better := rapid.Float64Range(0.5, 0.99)
			proposals, o := []string{"a", "b", "c"}, &consensus.Options{Ranks: map[string]int{}, Correlation: consensus.Independent}
			rates := consensus.Rates{}
			voter := func(name string) {
				rates[name] = consensus.Reliability{Sensitivity: better.Draw(t, "sensitivity"), Specificity: better.Draw(t, "specificity")}
				o.Ranks[name] = rapid.IntRange(0, 2).Draw(t, "rank")
			}
			o.Threshold = rapid.SampledFrom([]float64{0.5, 0.6, 0.7}).Draw(t, "threshold")
			var votes []consensus.Vote
			for i := range rapid.IntRange(2, 8).Draw(t, "voters") {
				name := fmt.Sprint("v", i)
				voter(name)
				votes = append(votes, consensus.Vote{
					Voter: name, ProposalID: rapid.SampledFrom(proposals).Draw(t, "proposal"), Weight: 1,
					Stance: rapid.SampledFrom([]consensus.Stance{consensus.Agree, consensus.Agree, consensus.Disagree}).Draw(t, "stance"),
				})
			}
			voter("new")
			o.Reliabilities = rates
			before := decideOn(t, s, o, proposals, votes)
			if before.Outcome != consensus.Reached {
				return
			}
			more := consensus.Vote{Voter: "new", ProposalID: before.Choice, Weight: 1, Stance: consensus.Agree}
			if after := decideOn(t, s, o, proposals, append(votes, more)); after.Choice != before.Choice {
				t.Fatalf("one more voter for the winner: from %v\n  to %v", before, after)
			}
		}))
	}
}

func TestARankWhoseVotesFitTheOppositeAsWellSettlesNothing(t *testing.T) {
	rates := consensus.Rates{"senior": {Sensitivity: 0.5, Specificity: 0.5}, "junior": {Sensitivity: 0.9, Specificity: 0.9}}
	o := &consensus.Options{Ranks: map[string]int{"senior": 1}, Quorum: 1, Reliabilities: rates}
	agree := func(voter, on string) consensus.Vote {
		return consensus.Vote{Voter: voter, ProposalID: on, Stance: consensus.Agree, Weight: 1}
	}
	proposals := []string{"a", "b"}
	if d := decideOn(t, consensus.Hierarchical{}, o, proposals, []consensus.Vote{agree("senior", "a")}); d.Outcome != consensus.Uncertified {
		t.Errorf("alone: %v", d)
	}
	for _, on := range proposals {
		if d := decideOn(t, consensus.Hierarchical{}, o, proposals, []consensus.Vote{agree("senior", "a"), agree("junior", on)}); d.Choice != on {
			t.Errorf("with a junior for %s: %v", on, d)
		}
	}
}

func decideOn(t interface{ Fatal(...any) }, s consensus.Strategy, o *consensus.Options, proposals []string, votes []consensus.Vote) consensus.Decision {
	b, err := consensus.NewBallots(o, proposals, votes)
	if err != nil {
		t.Fatal(err)
	}
	return s.Decide(b)
}
