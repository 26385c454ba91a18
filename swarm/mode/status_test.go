package mode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// asked returns calls for answers from a list such as "x x y - !": - passed, ! failed.
func asked(answers string) (team []mode.Member, calls []mode.Call) {
	for i, a := range strings.Fields(answers) {
		id := fmt.Sprint("a", i)
		c := mode.Call{Part: mode.Answer, Agent: id, Answer: strings.Trim(a, "-!"), Failed: a == "!"}
		team, calls = append(team, mode.Member{ID: id, Family: id}), append(calls, c)
	}
	return team, calls
}

func TestStatusOfWhatLeads(t *testing.T) {
	const reached, contested, answered = consensus.Reached, consensus.Contested, consensus.Answered
	for _, c := range []struct {
		answers   string
		threshold float64
		quorum    int
		outcome   consensus.Outcome
		says      string
	}{
		{"x x x", 0, 0, reached, ""},
		{"x x y", 0, 0, reached, ""},
		{"x x y z", 0, 0, contested, "more than half is needed"},
		{"x x - -", 0, 0, contested, "only 2 of the 4"},
		{"x x x - - -", 0, 0, contested, "only 3 of the 6"},
		{"x x y - ", 0, 0, contested, "50 % of the weight of the 4 that were heard"},
		{"x x x ! !", 0, 0, reached, ""},
		{"x x y y x ! !", 0, 0, reached, ""},
		{"x ! ! ! ! ! !", 0, 0, answered, "the answer of a0 alone"},
		{"- - x - -", 0, 0, answered, "the answer of a2 alone"},
		{"x", 0, 0, answered, "the answer of a0 alone"},
		{"x ! !", 0, 2, contested, "the quorum is 2"},
		{"x x y", 0.7, 0, contested, "70 % is needed"},
		{"x x x y", 0.7, 0, reached, ""},
		{"x x x y y y", 0, 0, consensus.Deadlocked, ""},
		{"x y z", 0, 0, consensus.Deadlocked, ""},
	} {
		team, calls := asked(c.answers)
		p := mode.Choose(mode.Vote, mode.Case{Members: team})
		o := &consensus.Options{Threshold: c.threshold, Quorum: max(1, c.quorum)}
		if c.threshold == 0 {
			o.Threshold = consensus.Plurality
		}
		var proposals []string
		var votes []consensus.Vote
		for _, call := range calls {
			if call.Answer != "" {
				proposals = append(proposals, call.Answer)
				votes = append(votes, consensus.Vote{Voter: call.Agent, ProposalID: call.Answer, Stance: consensus.Agree, Weight: 1})
			}
		}
		b, err := consensus.NewBallots(o, proposals, votes)
		if err != nil {
			t.Fatal(err)
		}
		d := p.Decide(b.Close(), calls)
		if d.Outcome != c.outcome || !strings.Contains(d.Reason(), c.says) || (d.Choice != "") != (c.outcome == reached || c.outcome == answered) {
			t.Errorf("%q at %v of %d: %v %q: %s; want %v", c.answers, c.threshold, c.quorum, d.Outcome, d.Choice, d.Reason(), c.outcome)
		}
		if p.Rule = 0; c.outcome == contested && c.threshold == 0 && c.quorum == 0 && p.Decide(b.Close(), calls).Outcome != reached {
			t.Errorf("%q by the rule of before: %v", c.answers, p.Decide(b.Close(), calls))
		}
	}
}
