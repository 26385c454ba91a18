package swarm_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func TestTheRecordsOfDecisionsReadAsWords(t *testing.T) {
	opened := func(terms swarm.Terms) string {
		said, err := terms.Open("t")
		if err != nil {
			t.Fatal(err)
		}
		return said.(*signals.Signal[swarm.Opened]).Payload.String()
	}
	const reached, pending = `{"outcome":"reached","choice":"a","support":0.75,"voters":3}`, `{"outcome":"pending","support":0.66666,"voters":1}`
	for want, got := range map[string]string{
		"terms of x: by voting, threshold 0.7, quorum 2": opened(swarm.Terms{Name: "x", Strategy: "voting"}),
		"terms of y: by the default, now voting, threshold 0.6667, quorum 3, 2 may vote, l learns": opened(swarm.Terms{
			Name: "y", Strategy: "voting", Default: true, Threshold: 2. / 3, Quorum: 3, Electorate: []string{"a", "b"}, Learner: "l",
		}),
		"terms: unexpected end of JSON input":                  swarm.Opened{}.String(),
		`x: reached "a": support 0.75, 3 voters`:               swarm.Decided{Name: "x", Decision: reached}.String(),
		"x: pending: support 0.6667, 1 voter":                  swarm.Decided{Name: "x", Decision: pending}.String(),
		`x: reached "a": all agree`:                            swarm.Decided{Name: "x", Decision: reached, Stop: swarm.StopConsensus, Detail: "all agree"}.String(),
		`x: pending, stopped: deadline: no decision within 1s`: swarm.Decided{Name: "x", Decision: pending, Stop: swarm.StopDeadline, Detail: "no decision within 1s"}.String(),
		"x: unexpected end of JSON input":                      swarm.Decided{Name: "x"}.String(),
		"right was a":                                          swarm.Outcome{ProposalID: "a"}.String(),
		"right was none of these":                              swarm.Outcome{}.String(),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
