package consensustest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// Reporter is the part of *testing.T that the rules need. Errorf may be called
// many times.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// TestStrategy checks that a strategy keeps every rule, one subtest each, and that a [consensus.Round]
// asked after every vote decides as the strategy does on all ballots. except lists the rules that the
// strategy by design cannot keep; usually there are none.
func TestStrategy(t *testing.T, s consensus.Strategy, seed uint64, except ...Exception) {
	t.Helper()
	refuse(t, except)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { r.runOr(t, s, seed, except) })
	}
	t.Run(roundRule, func(t *testing.T) { CheckRound(t, NewRound, s, seed) })
}

// CheckStrategy is [TestStrategy] without subtests: each message begins with the name of the
// rule. A panic of the strategy is reported too.
func CheckStrategy(t Reporter, s consensus.Strategy, seed uint64, except ...Exception) {
	t.Helper()
	refuse(t, except)
	for _, r := range rules {
		r.runOr(t, s, seed, except)
	}
	CheckRound(t, NewRound, s, seed)
}

// rule is one promise of every strategy.
type rule struct {
	name  string
	check func(*trial)
}

var rules = []rule{
	{"sound", sound},
	{"quorum", quorum},
	{"pure", pure},
	{"order", order},
	{"names", names},
	{"unknown", unknown},
	{"repetition", repetition},
	{"abstention", abstention},
	{"unanimity", unanimity},
	{"rejection", rejection},
	{"more against than for", moreAgainst},
	{"ranks", ranks},
	{"minority", minority},
	{"more support", moreSupport},
	{"threshold", threshold},
	{"tie", tie},
	{"even", even},
	{"dummies", dummies},
	{"closing", closing},
	{"confidence", confidence},
	{"discount", discount},
	{"coins", coins},
}

func (r rule) run(t Reporter, s consensus.Strategy, seed uint64) {
	t.Helper()
	c := &trial{Reporter: t, rule: r.name, strategy: s, Rand: rand.New(rand.NewPCG(seed, 1))}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", r.name, p)
		}
	}()
	r.check(c)
}

// trial is one rule being checked on one strategy.
type trial struct {
	Reporter
	*rand.Rand
	rule     string
	strategy consensus.Strategy
	failed   int
}

// polls is how many random polls a rule is checked on.
const polls = 60

// enough stops a rule that has failed often: the first few failures suffice.
func (c *trial) enough() bool { return c.failed >= 3 }

func (c *trial) fail(p *poll, format string, args ...any) {
	c.Helper()
	c.failed++
	c.Errorf("%s: %s\n%v", c.rule, fmt.Sprintf(format, args...), p)
}

func (c *trial) decide(p *poll) consensus.Decision {
	b := p.ballots()
	d := c.strategy.Decide(b)
	if d.Strategy != c.strategy.Name() {
		c.fail(p, "decision says %q, the strategy is %q", d.Strategy, c.strategy.Name())
	}
	return d
}

// each calls check with random polls.
func (c *trial) each(check func(*poll)) {
	for range polls {
		if c.enough() {
			return
		}
		check(c.draw())
	}
}
