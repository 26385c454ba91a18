package consensustest_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

func TestExceptionsAreChecked(t *testing.T) {
	unsure := consensus.Func("unsure", func(b consensus.Ballots) consensus.Decision {
		d := consensus.Voting{}.Decide(b)
		d.Confidence /= 2
		return d
	})
	for _, c := range []struct {
		what   string
		s      consensus.Strategy
		except consensustest.Exception
		want   string // the rule that is reported, or "" if none is
	}{
		{"needed", unsure, consensustest.Exception{Rule: "confidence", Because: "it is never sure"}, ""},
		{"for another rule", unsure, consensustest.Exception{Rule: "tie", Because: "it is never sure"}, "confidence"},
		{"not needed", consensus.Voting{}, consensustest.Exception{Rule: "tie", Because: "it might break ties"}, "tie"},
		{"of no rule", consensus.Voting{}, consensustest.Exception{Rule: "manners", Because: "none"}, "exception"},
		{"without a reason", unsure, consensustest.Exception{Rule: "confidence"}, "exception"},
	} {
		r := &recorder{broken: map[string]int{}}
		consensustest.CheckStrategy(r, c.s, 1, c.except)
		if found := r.broken[c.want] > 0; c.want == "" && len(r.broken) > 0 || c.want != "" && !found {
			t.Errorf("an exception %s: reported are %v, want %q", c.what, r.broken, c.want)
		}
	}
}
