package consensus_test

import (
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
)

func Example() {
	ballots, err := consensus.NewBallots(nil, []string{"ship", "wait"}, []consensus.Vote{
		{Seq: 1, Voter: "ada", ProposalID: "ship", Stance: consensus.Agree, Weight: 0.9},
		{Seq: 2, Voter: "bob", ProposalID: "ship", Stance: consensus.Agree, Weight: 0.8},
		{Seq: 3, Voter: "cyd", ProposalID: "wait", Stance: consensus.Agree, Weight: 0.4, Reasoning: "no changelog"},
		{Seq: 4, Voter: "dee", ProposalID: "ship", Stance: consensus.Abstain},
	})
	if err != nil {
		panic(err)
	}
	d := consensus.ConfidenceWeighted{}.Decide(ballots)
	fmt.Println(d)
	for _, v := range d.Dissent() {
		fmt.Printf("%s: %s\n", v.Voter, v.Reasoning)
	}
	// Output:
	// confidence-weighted: reached "ship": 2 of 3 agree with "ship", 81 % of the weight; 70 % is needed; 4 voted, the quorum is 2; 73 % that it is right, by the votes alone; 1 vote in dissent
	// cyd: no changelog
}

func ExampleRound() {
	round, err := consensus.NewRound(consensus.Voting{}, &consensus.Options{Quorum: 3})
	if err != nil {
		panic(err)
	}
	if err := round.Propose("ship"); err != nil {
		panic(err)
	}
	for i, voter := range []string{"ada", "bob", "ada", "cyd"} {
		v := consensus.Vote{Seq: uint64(i), Voter: voter, ProposalID: "ship", Stance: consensus.Agree, Weight: 1}
		if err := round.Vote(v); err != nil {
			panic(err)
		}
		fmt.Println(round.Decision())
	}
	// Output:
	// voting: open: 1 has voted; the quorum is 3
	// voting: open: 2 have voted; the quorum is 3
	// voting: open: 2 have voted; the quorum is 3; 1 vote not counted
	// voting: reached "ship": 3 of 3 agree, all of the voters; 70 % is needed; 3 voted, the quorum is 3; 95 % that it is right, by the votes alone; 1 vote not counted
}

func ExampleFieldError() {
	_, err := consensus.NewBallots(nil, []string{"ship"}, []consensus.Vote{
		{Seq: 1, Voter: "ada", ProposalID: "ship", Stance: consensus.Agree, Weight: 9},
	})
	var fe *consensus.FieldError
	if errors.As(err, &fe) {
		fmt.Println(fe.Field, fe.Value)
	}
	fmt.Println(err)
	// Output:
	// weight 9
	// consensus: vote 1 by "ada" on "ship": weight is 9, want a number from 0 to 1
}

func ExampleHierarchical() {
	options := &consensus.Options{Ranks: map[string]int{"lead": 1}}
	ballots, err := consensus.NewBallots(options, []string{"go", "rust"}, []consensus.Vote{
		{Voter: "lead", ProposalID: "go", Stance: consensus.Agree, Weight: 0.5},
		{Voter: "ada", ProposalID: "rust", Stance: consensus.Agree, Weight: 1},
		{Voter: "bob", ProposalID: "rust", Stance: consensus.Agree, Weight: 1},
	})
	if err != nil {
		panic(err)
	}
	d := consensus.Hierarchical{}.Decide(ballots)
	fmt.Printf("%s %s, probably right: %.2f\n", d.Outcome, d.Choice, d.Confidence)
	// Output:
	// reached go, probably right: 0.11
}
