package consensustest

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// expect reports an outcome or choice other than wanted.
func (c *trial) expect(p *poll, outcome consensus.Outcome, choice string) {
	if d := c.decide(p); d.Outcome != outcome || d.Choice != choice {
		c.fail(p, "%v, want %v %q", d, outcome, choice)
	}
}

// both checks a poll open and closed.
func both(p *poll, check func(*poll)) {
	for _, closed := range []bool{false, true} {
		q := p.clone()
		q.closed = closed
		check(q)
	}
}

// abstention: an abstention counts for the quorum and never as a "no".
func abstention(c *trial) {
	p := (&poll{proposals: []string{"a"}, options: consensus.Options{Quorum: 6}}).crowd("v", 5, "a", consensus.Agree, 1)
	c.expect(p.clone().cast("w", "a", consensus.Abstain, 1), consensus.Reached, "a")
	c.expect(p.crowd("w", 50, "a", consensus.Abstain, 1), consensus.Reached, "a")
	c.each(func(p *poll) {
		p.options.Quorum, p.options.Electorate = 1, nil
		d := c.decide(p)
		if d.Voters == 0 {
			return
		}
		q := p.clone().crowd("new", 1+c.IntN(5), p.proposals[c.IntN(len(p.proposals))], consensus.Abstain, 1)
		e := c.decide(q)
		e.Voters = d.Voters
		c.same(q, e, d, "an abstention")
	})
	abstaining := (&poll{proposals: []string{"a"}}).crowd("v", 9, "a", consensus.Abstain, 1)
	c.expect(abstaining, consensus.Pending, "")
	abstaining.closed = true
	c.expect(abstaining, consensus.Deadlocked, "")
}

// unanimity: a proposal that all voters agree with is chosen, even if they reject its rivals with any weight.
func unanimity(c *trial) {
	for n := 2; n <= 12; n++ {
		for k := range 3 {
			p := &poll{proposals: []string{"a", "b", "c"}[:k+1]}
			both(p.crowd("v", n, "a", consensus.Agree, 1), func(p *poll) { c.expect(p, consensus.Reached, "a") })
		}
	}
	for n := 2; n <= 9; n++ {
		p := (&poll{proposals: []string{"a", "b", "c"}}).crowd("v", n, "a", consensus.Agree, 0.6)
		p.crowd("v", n, "b", consensus.Disagree, 0.9).crowd("v", n-1, "c", consensus.Disagree, 1)
		both(p, func(p *poll) { c.expect(p, consensus.Reached, "a") })
	}
	p := &poll{proposals: []string{"a"}}
	for i := range 30 {
		p.proposals = append(p.proposals, fmt.Sprint("dummy", i))
	}
	both(p.crowd("v", 12, "a", consensus.Agree, 1), func(p *poll) { c.expect(p, consensus.Reached, "a") })
}

// rejection: if all voters disagree with a proposal the outcome is Rejected,
// and a proposal without votes does not win by it.
func rejection(c *trial) {
	for n := 2; n <= 9; n++ {
		p := (&poll{proposals: []string{"a"}}).crowd("v", n, "a", consensus.Disagree, 1)
		both(p, func(p *poll) { c.expect(p, consensus.Rejected, "") })
		p.proposals = append(p.proposals, "b")
		c.expect(p, consensus.Pending, "")
		p.closed = true
		c.expect(p, consensus.Deadlocked, "")
	}
	split := (&poll{proposals: []string{"a"}, closed: true}).crowd("v", 4, "a", consensus.Agree, 1)
	c.expect(split.crowd("w", 6, "a", consensus.Disagree, 1), consensus.Rejected, "")
	c.each(func(p *poll) {
		p = p.plain()
		if d := c.decide(p); d.Outcome == consensus.Rejected {
			for _, t := range p.ballots().Tallies() {
				if t.Disagree <= t.Agree {
					c.fail(p, "%v, but %q has %d for and %d against", d, t.ProposalID, t.Agree, t.Disagree)
				}
			}
		}
	})
}

// moreAgainst: a proposal with more against it than for it never wins, alone or
// not.
func moreAgainst(c *trial) {
	c.each(func(p *poll) {
		p = p.plain()
		p.options.Threshold = []float64{0.01, 0.3, 0.5}[c.IntN(3)]
		d := c.decide(p)
		if d.Outcome != consensus.Reached {
			return
		}
		for _, t := range p.ballots().Tallies() {
			if t.ProposalID == d.Choice && t.Disagree >= t.Agree {
				c.fail(p, "%v with %d for and %d against", d, t.Agree, t.Disagree)
			}
		}
	})
	for _, rest := range [][]string{{"a"}, {"a", "b"}} {
		p := &poll{proposals: rest, options: consensus.Options{Threshold: 0.05}}
		p.crowd("v", 4, "a", consensus.Agree, 1).crowd("w", 6, "a", consensus.Disagree, 1)
		both(p, func(p *poll) {
			if d := c.decide(p); d.Choice != "" {
				c.fail(p, "%v with 4 for and 6 against", d)
			}
		})
	}
}

// ranks: a proposal that seniors turn down stays down. A senior's weak agreement with something else
// does not let juniors choose it.
func ranks(c *trial) {
	for _, seniors := range []int{1, 2} {
		for range 10 {
			p := &poll{proposals: []string{"a", "b"}, options: consensus.Options{Ranks: map[string]int{"boss0": 2, "boss1": 2, "mid0": 1}}}
			p.options.Threshold = 0.5 + float64(c.IntN(3))/10
			p.crowd("boss", seniors, "a", consensus.Disagree, 1).crowd("junior", seniors*(80+c.IntN(20)), "a", consensus.Agree, 1)
			p.crowd("mid", c.IntN(2), "a", consensus.Agree, 1)
			d := c.decide(p)
			q := p.clone().crowd("boss", seniors, "b", consensus.Agree, float64(c.IntN(3))/10)
			if e := c.decide(q); e.Choice == "a" && d.Choice != "a" {
				c.fail(q, "%v, but %v without the seniors' weak yes to another", e, d)
			}
		}
	}
}

// minority: a few voters with any confidence do not prevail over many.
func minority(c *trial) {
	p := &poll{proposals: []string{"few", "many"}}
	p.cast("v", "few", consensus.Agree, 1).crowd("w", 9, "many", consensus.Agree, 1)
	p.cast("x", "many", consensus.Disagree, 1)
	both(p, func(p *poll) {
		if d := c.decide(p); !slices.Equal(d.Leaders, []string{"many"}) || d.Choice == "few" {
			c.fail(p, "%v, but 9 of 10 want %q", d, "many")
		}
	})
	p = &poll{proposals: []string{"loud"}, options: consensus.Options{Threshold: 0.5}}
	p.cast("v", "loud", consensus.Agree, 1).crowd("w", 9, "loud", consensus.Disagree, 0.8)
	p.crowd("w", 9, "other", consensus.Agree, 0.8)
	p.proposals = append(p.proposals, "other")
	both(p, func(p *poll) {
		if d := c.decide(p); d.Leader() == "loud" || d.Choice == "loud" {
			c.fail(p, "%v: one voter prevails over nine by its own weight", d)
		}
	})
}

// moreSupport: another voter for the winner never unseats it.
func moreSupport(c *trial) {
	c.each(func(p *poll) {
		p.options.Electorate = nil
		c.join(p, 3, func() float64 { return float64(1+c.IntN(10)) / 10 })
	})
	for against := range 4 {
		p := &poll{proposals: []string{"a", "b"}, options: consensus.Options{Threshold: 0.55}}
		p.crowd("v", 4, "a", consensus.Agree, 1).crowd("w", against, "a", consensus.Disagree, 1)
		c.join(p, 12, func() float64 { return 1 })
	}
}

// join adds voters for the winner one by one.
func (c *trial) join(p *poll, n int, weight func() float64) {
	d := c.decide(p)
	for i := range n {
		winner := "a"
		if d.Outcome == consensus.Reached {
			winner = d.Choice
		}
		q := p.clone().cast(fmt.Sprint("new", i), winner, consensus.Agree, weight())
		e := c.decide(q)
		if d.Outcome == consensus.Reached && e.Choice != winner {
			c.fail(q, "one more voter for the winner: from %v\n  to %v", d, e)
			return
		}
		p, d = q, e
	}
}

// tie: of two proposals with the same votes, neither wins.
func tie(c *trial) {
	for n := 1; n <= 6; n++ {
		for _, t := range []float64{0.1, 0.5, 0.7} {
			p := &poll{proposals: []string{"a", "b", "c"}, options: consensus.Options{Threshold: t}}
			p.crowd("v", n, "a", consensus.Agree, 0.7).crowd("w", n, "b", consensus.Agree, 0.7)
			c.expect(p, consensus.Pending, "")
			if d := c.decide(p); !slices.Equal(d.Leaders, []string{"a", "b"}) {
				c.fail(p, "%q lead, want a and b", d.Leaders)
			}
			p.closed = true
			c.expect(p, consensus.Deadlocked, "")
		}
	}
}

// even: camps of one size, of which a voter weighs a hundredth more, decide nothing, and neither is more than as likely right as not.
func even(c *trial) {
	for n := 1; n <= 10; n++ {
		p := (&poll{proposals: []string{"a", "b"}}).crowd("v", n, "a", consensus.Agree, 0.8).crowd("w", n-1, "b", consensus.Agree, 0.8)
		both(p.cast("x", "b", consensus.Agree, 0.81), func(p *poll) {
			if d := c.decide(p); d.Final() && d.Outcome != consensus.Deadlocked || d.Confidence > 0.55 {
				c.fail(p, "%v with a confidence of %v, of %d against %d", d, d.Confidence, n, n)
			}
		})
	}
}

// dummies: proposals without votes never lead and make nothing win. They may prevent a rejection,
// since no one rejects them.
func dummies(c *trial) {
	c.each(c.checkDummies)
	c.checkDummies((&poll{proposals: []string{"a"}}).crowd("v", 4, "a", consensus.Disagree, 1))
	c.checkDummies((&poll{proposals: []string{"a"}}).crowd("v", 4, "a", consensus.Abstain, 1))
}

func (c *trial) checkDummies(p *poll) {
	d := c.decide(p)
	q := p.clone()
	for i := range 30 {
		q.proposals = append(q.proposals, fmt.Sprint("dummy", i))
	}
	e := c.decide(q)
	dummy := slices.ContainsFunc(e.Leaders, func(l string) bool { return !slices.Contains(p.proposals, l) })
	if dummy || e.Choice != d.Choice && e.Choice != "" {
		c.fail(q, "thirty dummies: from %v\n  to %v", d, e)
	}
	if e.Outcome == consensus.Rejected {
		c.fail(q, "%v, but no voter rejects the dummies", e)
	}
}

// closing: it ends what is pending and reverts nothing.
func closing(c *trial) {
	c.each(func(p *poll) {
		p.closed = false
		d := c.decide(p)
		p.closed = true
		e := c.decide(p)
		if d.Outcome != consensus.Pending {
			if e.Outcome != d.Outcome || e.Choice != d.Choice {
				c.fail(p, "closing takes back: %v, was %v", e, d)
			}
		} else if e.Outcome == consensus.Reached {
			c.fail(p, "closing decides: %v, was %v", e, d)
		}
	})
}
