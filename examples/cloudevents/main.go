// Command cloudevents lets programs that know only CloudEvents vote: they write events with
// the SDK of that project, and the votes among them are decided.
package main

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

func main() {
	var votes []consensus.Vote
	for _, text := range pipeline() {
		s, err := cloudevents.Codec{}.ReadStructured(text)
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		v, ok := signals.As[signals.Vote](s)
		if !ok {
			fmt.Printf("kept: %s of %s\n", s.Kind(), s.Head().Source)
			continue
		}
		votes = append(votes, consensus.Vote{
			Voter: v.Source, Seq: uint64(len(votes) + 1), ProposalID: v.Payload.ProposalID, Stance: consensus.Stance(v.Payload.Stance), Weight: v.Payload.Weight,
		})
	}
	ballots, err := consensus.NewBallots(nil, []string{"ship", "wait"}, votes)
	if err != nil {
		log.Fatal(err)
	}
	voting, err := consensus.Lookup("voting")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(voting.Decide(ballots))
}

// pipeline returns the events of programs of others.
func pipeline() (all [][]byte) {
	for i, e := range []struct{ source, kind, data string }{
		{"/tests", "vote", `{"proposalId":"ship","stance":"agree","weight":1}`},
		{"/linter", "vote", `{"proposalId":"ship","stance":"agree","weight":1}`},
		{"/scanner", "vote", `{"proposalId":"wait","stance":"agree","weight":1}`},
		{"/reviewer", "vote", `{"proposalId":"ship","stance":"agree","weight":1}`},
		{"/builder", "acme.example/build", `{"seconds":41}`},
		{"/builder", "vote", `{"proposalId":"ship","stance":"perhaps"}`},
		{"https://ci.example.com/7", "vote", `{"proposalId":"wait","stance":"agree"}`},
	} {
		made := event.New()
		made.SetID(fmt.Sprint("event-", i))
		made.SetSource(e.source)
		made.SetType(e.kind)
		if err := made.SetData(event.ApplicationJSON, json.RawMessage(e.data)); err != nil {
			log.Fatal(err)
		}
		text, err := json.Marshal(made)
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}
