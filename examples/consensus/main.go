// Command consensus decides the same votes by every built-in strategy, without agents, a
// bus or a swarm.
package main

import (
	"fmt"
	"log"

	"github.com/swarmbus/swarmbus/consensus"
)

func main() {
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
}
