package consensus_test

import (
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
)

// veto chooses only what no voter rejects. Support is the share of the voters who do not abstain; that of a
// rejected proposal, which is below 1, is scaled down to below the threshold.
var veto = consensus.Func("veto", func(b consensus.Ballots) consensus.Decision {
	spoke, none := b.Spoke()
	all := float64(max(1, spoke))
	var support []float64
	for _, t := range b.Tallies() {
		share := float64(t.Agree) / all
		if t.Disagree > 0 {
			share *= b.Threshold()
		}
		support = append(support, share)
	}
	return b.Decide("veto", support, float64(none)/all, nil)
})

func ExampleFunc() {
	ballots, err := consensus.NewBallots(nil, []string{"a", "b"}, []consensus.Vote{
		{Voter: "ada", ProposalID: "a", Stance: consensus.Agree, Weight: 1},
		{Voter: "ada", ProposalID: "b", Stance: consensus.Agree, Weight: 1},
		{Voter: "bob", ProposalID: "a", Stance: consensus.Agree, Weight: 1},
		{Voter: "bob", ProposalID: "b", Stance: consensus.Disagree, Weight: 1},
		{Voter: "cyd", ProposalID: "b", Stance: consensus.Abstain},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(veto.Decide(ballots))
	// Output:
	// veto: reached "a": 2 of 2 agree with "a", a support of over 99 %; 70 % is needed; 3 voted, the quorum is 2; 83 % that it is right, by the votes alone
}
