package consensus_test

import (
	"fmt"
	"log"

	"github.com/swarmbus/swarmbus/consensus"
)

// The same votes by every built-in strategy, without agents, a bus or a swarm.
func ExampleBuiltin() {
	// Two are sure that it should ship, three would rather wait.
	ballots, err := consensus.NewBallots(&consensus.Options{Ranks: map[string]int{"lead": 1}}, []string{"ship", "wait"}, []consensus.Vote{
		{Seq: 1, Voter: "lead", ProposalID: "ship", Stance: consensus.Agree, Weight: 0.95, Reasoning: "the tests pass"},
		{Seq: 2, Voter: "ada", ProposalID: "ship", Stance: consensus.Agree, Weight: 0.95},
		{Seq: 3, Voter: "bob", ProposalID: "wait", Stance: consensus.Agree, Weight: 0.2, Reasoning: "no changelog"},
		{Seq: 4, Voter: "cyd", ProposalID: "wait", Stance: consensus.Agree, Weight: 0.2},
		{Seq: 5, Voter: "dee", ProposalID: "wait", Stance: consensus.Agree, Weight: 0.2},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, strategy := range consensus.Builtin() {
		d := strategy.Decide(ballots)
		fmt.Println(d)
		for _, v := range d.Dissent() {
			if v.Reasoning != "" {
				fmt.Printf("    %s is for %q: %s\n", v.Voter, v.ProposalID, v.Reasoning)
			}
		}
	}
	// Output:
	// voting: open: 3 of 5 agree with "wait", 60 % of the voters; 70 % is needed; 5 voted, the quorum is 2; 13 % that it is right, by the votes alone; 2 votes in dissent
	//     lead is for "ship": the tests pass
	// confidence-weighted: reached "ship": 2 of 5 agree with "ship", 76 % of the weight; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
	// bayesian: reached "ship": 2 of 5 agree with "ship", a probability of 72.4 %; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
	// entropy: open: 2 of 5 agree with "ship", a concentration of 20.5 %; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
	// hierarchical: reached "ship": 2 of 5 agree with "ship", all of the weight in the rank that decides; 70 % is needed; 5 voted, the quorum is 2; 72 % that it is right, by the votes alone; 3 votes in dissent
	//     bob is for "wait": no changelog
}
