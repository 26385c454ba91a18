// Package swarmtest holds the laws of decisions of a swarm as a test suite, for any strategy and mode:
//
//	func TestOurTeams(t *testing.T) {
//		swarmtest.TestDecisions(t, swarm.Options{Strategy: Veto{}, Mode: mode.Deliberate})
//	}
//
// The laws are that an even split is no consensus, whatever settles it, and teaches nothing; that nothing is one
// without the quorum, whoever fails, passes, speaks first or floods; that what all are for is one; and that one more
// voter for what was chosen does not unseat it. The suite brings its own agents. It is tested itself: this package's tests plant bugs
// in strategies, and each is found.
package swarmtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Reporter is the part of *testing.T that the laws need. Errorf may be called many times.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// TestDecisions checks the laws of a swarm with these options, one subtest each. Agents, Ledger and Seed are the suite's.
func TestDecisions(t *testing.T, o swarm.Options) {
	t.Helper()
	for _, l := range laws {
		t.Run(l.name, func(t *testing.T) { l.holds(&trial{t, l.name, o}) })
	}
}

// CheckDecisions is [TestDecisions] without subtests: each message begins with the name of the law.
func CheckDecisions(t Reporter, o swarm.Options) {
	t.Helper()
	for _, l := range laws {
		l.holds(&trial{t, l.name, o})
	}
}

var laws = []struct {
	name  string
	holds func(*trial)
}{{"even", even}, {"quorum", quorum}, {"unanimity", unanimity}, {"more support", moreSupport}}

// trial is a law that is checked.
type trial struct {
	Reporter
	law string
	o   swarm.Options
}

func (c *trial) fail(format string, args ...any) {
	c.Helper()
	c.Errorf("%s: %v: %s", c.law, c.o.Mode, fmt.Sprintf(format, args...))
}

// solve has a team decide a task, and returns what came of it; nil: it could not begin.
func (c *trial) solve(of *swarm.Swarm) *solves.Result {
	c.Helper()
	r, err := of.Solve(context.Background(), signals.Task{Task: "Which one?"})
	if err != nil && r == nil {
		c.fail("%v", err)
	}
	return r
}

func (c *trial) swarm(team []*agents.Agent, l *reliability.Ledger) *swarm.Swarm {
	c.Helper()
	o := c.o
	o.Agents, o.Ledger, o.Seed = team, l, 1
	s, err := swarm.New(o)
	if err != nil {
		c.fail("%v", err)
	}
	return s
}

// deliberates reports whether all agents are asked.
func (c *trial) deliberates() bool { return c.o.Mode <= mode.Deliberate }

// A seat is an agent of the suite: what it is for, and by how much.
type seat struct {
	side   string // "": it fails, "-": it passes
	weight float64
	flood  bool // it proposes again and again
}

// team returns the agents of seats, and who was asked.
func team(all ...seat) (team []*agents.Agent, asked func() int) {
	var mu sync.Mutex
	turns := map[string]bool{}
	first := map[string]int{}
	for i, s := range all {
		if _, some := first[s.side]; !some {
			first[s.side] = i
		}
		id := fmt.Sprintf("a%02d", i)
		team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			mu.Lock()
			turns[id] = true
			mu.Unlock()
			return s.says(id, t, first[s.side] == i)
		})})
	}
	return team, func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(turns)
	}
}

// says returns what a seat says in a turn. The first of a side proposes it where agents deliberate.
func (s seat) says(id string, t *agents.Turn, first bool) iter.Seq2[signals.Any, error] {
	propose := func() signals.Any {
		return agents.Propose(fmt.Sprint(id, "-", t.Round), "do "+s.side, s.weight, s.side+" is quick")
	}
	switch {
	case s.side == "":
		return agents.Fail(errors.New("out of order"))
	case s.side == "-":
		return agents.Emit(agents.Pass("no opinion"))
	case t.Ask == agents.AskAnswer && s.flood:
		return agents.Emit(propose(), propose(), propose())
	case t.Ask == agents.AskAnswer || t.Ask == 0 && t.Round == 1 && first:
		say := []signals.Any{propose()}
		if t.Ask == 0 {
			say = append(say, agents.Agree(fmt.Sprint(id, "-", t.Round), s.weight, s.side+" is known"))
		}
		return agents.Emit(say...)
	}
	var say []signals.Any
	for _, p := range t.Proposals {
		if p.Proposal.Payload.Content == "do "+s.side && (p.VoteOf(id) == nil || s.flood) {
			say = append(say, agents.Agree(p.ID(), s.weight, fmt.Sprint("reason of ", id)))
		}
	}
	if say == nil {
		say = append(say, agents.Pass("nothing new"))
	}
	return agents.Emit(say...)
}

// seats returns so many seats of a side.
func seats(n int, side string, weight float64) (all []seat) {
	for range n {
		all = append(all, seat{side: side, weight: weight})
	}
	return all
}

// even: half of the seats are for x and half for y, one of them by a hundredth more. Whatever settles that, it is no consensus, neither
// is more than as likely right as not, and the ledger takes none of them for better than another.
func even(c *trial) {
	for _, by := range []settle.Policy{settle.ByDebate, settle.ByMajority} {
		for n := 2; n <= 20; n += 6 {
			if !c.deliberates() && n > 2 {
				continue // not all are asked, and chance says of which side those are
			}
			all := seats(n, "x", 0.8)
			for i := 1; i < n; i += 2 {
				all[i].side = "y"
			}
			all[n-1].weight = 0.81
			made, _ := team(all...)
			ledger := new(reliability.Ledger)
			c.o.Conflicts = by
			s := c.swarm(made, ledger)
			for range 8 {
				d := c.solve(s)
				if d.Stop == runlog.StopConsensus || c.deliberates() && n > 2 && math.Abs(d.Decision.Confidence-0.5) > 0.05 {
					c.fail("%d against %d, settled by %v: %v: %s; a confidence of %v", n/2, n/2, by, d.Stop, d.Detail, d.Decision.Confidence)
					break
				}
			}
			if c.deliberates() {
				c.alike(ledger, made)
			}
			s.Close()
		}
	}
}

// alike checks that a ledger knows as much of one agent as of another.
func (c *trial) alike(l *reliability.Ledger, team []*agents.Agent) {
	several, _ := l.Models()
	first, known := several.Reliability(team[0].ID, 2)
	for _, a := range team {
		if rate, _ := several.Reliability(a.ID, 2); known && math.Abs(rate.Sensitivity-first.Sensitivity) > 0.01 {
			c.fail("%s has a rate of %v, and %s one of %v", a.ID, rate.Sensitivity, team[0].ID, first.Sensitivity)
			return
		}
	}
}

// quorum: one or two of seven, who speak first and again and again, are no consensus while most of those who were asked fail or
// pass; nor is what only one stands for.
func quorum(c *trial) {
	for _, rest := range []string{"", "-"} {
		for n := 1; n <= 3; n++ {
			all := append(seats(n, "x", 1), seats(7-n, rest, 0)...)
			all[0].flood = true
			made, asked := team(all...)
			s := c.swarm(made, nil)
			r := c.solve(s)
			s.Close()
			if stand := stands(r); r.Stop == runlog.StopConsensus && (stand < 2 || 2*stand <= asked()) {
				c.fail("%d of 7 stand for it, %d were asked, and it is a consensus: %s", stand, asked(), r.Detail)
			}
		}
	}
}

// stands returns how many agents have proposed or voted.
func stands(r *solves.Result) int {
	all := map[string]bool{}
	for _, said := range r.Log {
		if k := said.Kind(); k == signals.KindVote || k == signals.KindProposal {
			all[said.Head().Source] = true
		}
	}
	return len(all)
}

// unanimity: what all are for is a consensus, for two as for twelve; where one alone has to answer it is its answer.
func unanimity(c *trial) {
	for _, n := range []int{2, 3, 7, 12} {
		made, _ := team(seats(n, "x", 0.9)...)
		s := c.swarm(made, nil)
		if r := c.solve(s); r.Stop != runlog.StopConsensus && (stands(r) > 1 || r.Decision.Outcome != consensus.Answered) {
			c.fail("all %d are for it: %v: %s", n, r.Stop, r.Detail)
		}
		s.Close()
	}
}

// moreSupport: what most are for stays a consensus with one more for it, and one more.
func moreSupport(c *trial) {
	was := false
	for n := 2; n <= 12; n++ {
		made, _ := team(append(seats(n, "x", 0.9), seat{side: "y", weight: 0.9})...)
		s := c.swarm(made, nil)
		r := c.solve(s)
		now := r.Stop == runlog.StopConsensus
		if was && !now {
			c.fail("%d of %d are for it, and with one less it was a consensus: %v: %s", n, n+1, r.Stop, r.Detail)
		}
		was = now
		s.Close()
	}
}
