package runlog_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

func TestTheRecordsOfDecisionsReadAsWords(t *testing.T) {
	opened := func(terms runlog.Terms) string {
		said, err := terms.Open("t")
		if err != nil {
			t.Fatal(err)
		}
		return said.(*signals.Signal[runlog.Opened]).Payload.String()
	}
	const reached, pending = `{"outcome":"reached","choice":"a","leaders":["a"],"support":0.75,"confidence":0.9,"voters":3}`, `{"outcome":"pending","support":0.66666,"voters":1}`
	for want, got := range map[string]string{
		"terms of x: by voting, threshold 0.7, quorum 2":  opened(runlog.Terms{Name: "x", Strategy: "voting"}),
		"terms of w: by default, threshold 0.7, quorum 2": opened(runlog.Terms{Name: "w", Strategy: "default", Default: true}),
		"terms of y: by voting (the default), threshold 0.6667, quorum 3, 2 may vote, l learns": opened(runlog.Terms{
			Name: "y", Strategy: "voting", Default: true, Threshold: 2. / 3, Quorum: 3, Electorate: []string{"a", "b"}, Learner: "l",
		}),
		"terms of z: by voting, threshold 0.7, quorum 2, conflicts settled by majority": opened(runlog.Terms{
			Name: "z", Strategy: "voting", Conflicts: settle.ByMajority,
		}),
		"terms: unexpected end of JSON input":                                                     runlog.Opened{}.String(),
		`x: reached "a": "a" leads, a support of 75 %; 90 % that it is right, by the votes alone`: runlog.Decided{Name: "x", Decision: reached}.String(),
		"x: open: 1 has voted; the quorum is 2":                                                   runlog.Decided{Name: "x", Decision: pending}.String(),
		`x: open: 1 has voted; the quorum is 2; stopped: deadline: no decision within 1s`:         runlog.Decided{Name: "x", Decision: pending, Stop: runlog.StopDeadline, Detail: "no decision within 1s"}.String(),
		"x: unexpected end of JSON input":                                                         runlog.Decided{Name: "x"}.String(),
		"right was a":                                                                             runlog.Outcome{ProposalID: "a"}.String(),
		"right was none of these":                                                                 runlog.Outcome{}.String(),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
