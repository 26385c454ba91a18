package consensustest

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Exception is a rule that a strategy by design cannot keep: for example, its Confidence is not the
// softmax behind the tallies because it knows more than they hold. The strategy's documentation should
// say the same.
//
// It excuses from that one rule and is checked itself: the rule must exist, there must be a reason, and the
// strategy must in fact break the rule, so that an exception does not outlive its cause.
type Exception struct {
	Rule    string // such as "confidence"; [Rules] has them all
	Because string // for the reader of the test
}

// Rules returns the names of the rules that an [Exception] may name, in the order in which they are checked.
func Rules() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}

// refuse reports invalid exceptions.
func refuse(t Reporter, except []Exception) {
	t.Helper()
	for _, e := range except {
		if !slices.Contains(Rules(), e.Rule) {
			t.Errorf("exception: there is no rule %q", e.Rule)
		}
		if e.Because == "" {
			t.Errorf("exception: no reason not to keep %q", e.Rule)
		}
	}
}

// runOr runs the rule, or checks that the strategy needs its exception.
func (r rule) runOr(t Reporter, s consensus.Strategy, seed uint64, except []Exception) {
	t.Helper()
	i := slices.IndexFunc(except, func(e Exception) bool { return e.Rule == r.name })
	if i < 0 {
		r.run(t, s, seed)
		return
	}
	var broken breaches
	r.run(&broken, s, seed)
	if len(broken) == 0 {
		t.Errorf("%s: the strategy keeps it, so it needs no exception (%s)", r.name, except[i].Because)
	}
}

// breaches collects what a rule reports.
type breaches []string

func (*breaches) Helper() {}

func (b *breaches) Errorf(format string, args ...any) { *b = append(*b, fmt.Sprintf(format, args...)) }
