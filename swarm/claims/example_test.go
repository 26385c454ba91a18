package claims_test

import (
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
)

func Example() {
	finding := signals.MustID("log_1")
	vote := signals.New(signals.Header{Seq: 3, ID: signals.MustID("log_3"), Source: "bob", ReplyTo: finding}, signals.Vote{
		ProposalID: "index", Stance: signals.Agree, Reasoning: "the scan is what is slow", Weight: 1,
	})
	proposal := signals.New(signals.Header{Seq: 2, ID: signals.MustID("log_2"), Source: "ann"}, signals.Proposal{
		ProposalID: "index", Content: "add an index",
	})
	g := claims.Of([]signals.Any{
		signals.New(signals.Header{Seq: 1, ID: finding, Source: "ann"}, signals.Discovery{Finding: "the query scans the table"}),
		proposal, vote,
	}, []agents.Standing{{Proposal: proposal, Votes: []*signals.Signal[signals.Vote]{vote}}})

	for _, c := range g.Cases() {
		fmt.Println(c.Proposal.Proposal, "stands on", c.For)
	}
	effect, err := g.Without(finding)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range effect.Fall {
		fmt.Println("falls", c)
	}
	// Output:
	// index stands on [[1] ann: the query scans the table]
	// falls [1] ann: the query scans the table
	// falls [2] ann: add an index
	// falls [3] bob: agree: the scan is what is slow
}
