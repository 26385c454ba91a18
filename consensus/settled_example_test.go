package consensus_test

import (
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
)

func ExampleSettled() {
	options := &consensus.Options{Electorate: []string{"ada", "bob", "cyd", "dee"}}
	round, err := consensus.NewRound(consensus.Voting{}, options)
	if err != nil {
		panic(err)
	}
	if err := round.Propose("ship"); err != nil {
		panic(err)
	}
	for i, voter := range options.Electorate {
		v := consensus.Vote{Seq: uint64(i), Voter: voter, ProposalID: "ship", Stance: consensus.Agree, Weight: 1}
		if err := round.Vote(v); err != nil {
			panic(err)
		}
		b := round.Ballots()
		fmt.Println(voter, round.Decision().Outcome, consensus.Settled(consensus.Voting{}, b, consensus.Left{}), b.Missing())
		if consensus.Settled(consensus.Voting{}, b, consensus.Left{}) {
			break // three of four are enough, whatever dee says
		}
	}
	// Output:
	// ada pending false [bob cyd dee]
	// bob reached false [cyd dee]
	// cyd reached true [dee]
}
