package consensustest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
)

// sound: on any ballots, the decision is consistent in itself.
func sound(c *trial) {
	c.each(func(p *poll) {
		c.checkSound(p)
		c.checkSound(p.plain())
	})
	for _, p := range []*poll{
		{},
		{closed: true},
		{proposals: []string{"a"}},
		(&poll{proposals: []string{"a"}}).crowd("v", 5, "a", consensus.Agree, 0),
		(&poll{proposals: []string{"a"}}).crowd("v", 5, "a", consensus.Abstain, 1),
		(&poll{proposals: []string{"a", "b"}}).crowd("v", 500, "a", consensus.Agree, 1),
		(&poll{proposals: []string{"a\n\x1b[2J", "b"}}).crowd("v\n", 4, "a\n\x1b[2J", consensus.Agree, 1),
	} {
		c.checkSound(p)
		q := p.clone()
		q.closed = !p.closed
		c.checkSound(q)
	}
}

func (c *trial) checkSound(p *poll) {
	d := c.decide(p)
	for name, x := range map[string]float64{"support": d.Support, "none": d.None, "confidence": d.Confidence} {
		if !(x >= 0 && x <= 1) {
			c.fail(p, "%s is %v", name, x)
		}
	}
	_, err := d.Outcome.MarshalText()
	switch {
	case err != nil:
		c.fail(p, "outcome is %v", d.Outcome)
	case p.closed && d.Outcome == consensus.Pending, !p.closed && d.Outcome == consensus.Deadlocked:
		c.fail(p, "%v while closed is %v", d.Outcome, p.closed)
	case (d.Outcome == consensus.Reached) != (d.Choice != ""):
		c.fail(p, "%v with choice %q", d.Outcome, d.Choice)
	case d.Outcome == consensus.Reached && (len(d.Leaders) != 1 || d.Leaders[0] != d.Choice):
		c.fail(p, "reached %q with leaders %q", d.Choice, d.Leaders)
	case d.Outcome == consensus.Reached && d.Support < p.ballots().Threshold():
		c.fail(p, "reached with support %v", d.Support)
	case d.Voters != p.ballots().Voters():
		c.fail(p, "says %d voters of %d", d.Voters, p.ballots().Voters())
	case !slices.IsSorted(d.Leaders):
		c.fail(p, "leaders %q are not sorted", d.Leaders)
	}
	if line := d.String(); line == "" || strings.ContainsAny(line, "\n\r\x1b") {
		c.fail(p, "unreadable line %q", line)
	}
	for _, l := range d.Leaders {
		if !c.agreedWith(p, l) {
			c.fail(p, "%q leads and no voter agrees with it", l)
		}
	}
}

func (c *trial) agreedWith(p *poll, proposal string) bool {
	return slices.ContainsFunc(p.ballots().Tallies(), func(t consensus.Tally) bool {
		return t.ProposalID == proposal && t.Agree > 0
	})
}

// same reports a difference in anything except the details.
func (c *trial) same(p *poll, got, want consensus.Decision, why string) {
	if got.Outcome != want.Outcome || got.Choice != want.Choice || !slices.Equal(got.Leaders, want.Leaders) ||
		got.Support != want.Support || got.None != want.None || got.Confidence != want.Confidence ||
		got.Voters != want.Voters {
		c.fail(p, "%s changes the decision\n  from %v\n  to   %v", why, want, got)
	}
}

// quorum: voters count, not votes, and nothing is settled without enough of them.
func quorum(c *trial) {
	undecided := func(p *poll) {
		want := consensus.Pending
		if p.closed {
			want = consensus.Deadlocked
		}
		if d := c.decide(p); d.Outcome != want {
			c.fail(p, "%v without a quorum, want %v", d, want)
		}
	}
	c.each(func(p *poll) {
		p.options.Electorate = nil
		p.options.Quorum = p.ballots().Voters() + 1
		undecided(p)
	})
	for _, closed := range []bool{false, true} {
		p := &poll{proposals: []string{"a", "b", "c", "d", "e"}, closed: closed}
		for _, proposal := range p.proposals[1:] {
			p.cast("v", proposal, consensus.Disagree, 1)
		}
		undecided(p.cast("v", "a", consensus.Agree, 1))
	}
	p := &poll{proposals: []string{"a"}, options: consensus.Options{Quorum: 3}}
	for range 5 {
		p.cast("v", "a", consensus.Agree, 1)
	}
	undecided(p.cast("w", "a", consensus.Agree, 1))
	undecided(p.cast("x", "unheard of", consensus.Agree, 1))
}

// pure: a decision depends only on the ballots, not on earlier or repeated
// calls.
func pure(c *trial) {
	var past []*poll
	var decisions []consensus.Decision
	c.each(func(p *poll) {
		b := p.ballots()
		d := c.strategy.Decide(b)
		if again := c.strategy.Decide(b); !again.Equal(d) {
			c.fail(p, "decided twice: %v, then %v", d, again)
		}
		past, decisions = append(past, p), append(decisions, d)
	})
	for i, p := range past {
		if d := c.strategy.Decide(p.ballots()); !d.Equal(decisions[i]) {
			c.fail(p, "decided later: %v, before %v", d, decisions[i])
			return
		}
	}
}

// order: the order of the votes in the slice and of the proposals does not
// matter.
func order(c *trial) {
	c.each(c.checkOrder)
	sums := &poll{proposals: []string{"a", "b", "c", "d"}}
	for i := range 40 {
		sums.cast(fmt.Sprint("v", i), sums.proposals[i%4], consensus.Agree, float64(1+i*i%10)/10)
	}
	ties := &poll{proposals: []string{"a", "b", "c"}}
	ties.crowd("v", 3, "a", consensus.Agree, 0.7).crowd("w", 3, "b", consensus.Agree, 0.7)
	for range 20 {
		c.checkOrder(sums)
		c.checkOrder(ties)
	}
}

func (c *trial) checkOrder(p *poll) {
	if c.enough() {
		return
	}
	want := c.decide(p)
	q := p.clone()
	c.Shuffle(len(q.votes), func(i, j int) { q.votes[i], q.votes[j] = q.votes[j], q.votes[i] })
	c.same(p, c.decide(q), want, "shuffling votes")
	c.Shuffle(len(q.proposals), func(i, j int) { q.proposals[i], q.proposals[j] = q.proposals[j], q.proposals[i] })
	c.same(p, c.decide(q), want, "shuffling proposals")
}

// names: the names of voters and proposals do not matter.
func names(c *trial) {
	other := func(name string) string { return string(rune('z'-name[1]+'0')) + name }
	c.each(func(p *poll) {
		want := c.decide(p)
		q := p.clone()
		for i := range q.proposals {
			q.proposals[i] = other(q.proposals[i])
		}
		for i, v := range q.votes {
			q.votes[i].Voter, q.votes[i].ProposalID = other(v.Voter), other(v.ProposalID)
		}
		q.options.Ranks = map[string]int{}
		for name, rank := range p.options.Ranks {
			q.options.Ranks[other(name)] = rank
		}
		q.options.Groups = map[string]string{}
		for name, group := range p.options.Groups {
			q.options.Groups[other(name)] = "some " + group
		}
		q.options.Electorate = nil
		for _, name := range p.options.Electorate {
			q.options.Electorate = append(q.options.Electorate, other(name))
		}
		want.Leaders = slices.Clone(want.Leaders)
		for i := range want.Leaders {
			want.Leaders[i] = other(want.Leaders[i])
		}
		slices.Sort(want.Leaders)
		if want.Choice != "" {
			want.Choice = other(want.Choice)
		}
		c.same(q, c.decide(q), want, "renaming")
	})
}

// unknown: votes on proposals that have not been made do not count and are
// reported.
func unknown(c *trial) {
	c.each(func(p *poll) {
		q := p.clone()
		for range 1 + c.IntN(5) {
			q.cast(q.votes[c.IntN(len(q.votes))].Voter, "unheard of", consensus.Agree, 1)
		}
		q.crowd("stranger", 3, "unheard of too", consensus.Disagree, 1)
		d := c.decide(q)
		c.same(q, d, c.decide(p), "a vote on an unknown proposal")
		if !slices.ContainsFunc(d.Uncounted(), func(u consensus.Uncounted) bool { return u.ProposalID == "unheard of" }) {
			c.fail(q, "a vote on an unknown proposal is not reported")
		}
	})
}

// repetition: of a voter's votes on a proposal the last counts, once.
func repetition(c *trial) {
	c.each(func(p *poll) {
		q := p.clone()
		for _, v := range p.votes {
			for range c.IntN(5) {
				v.Stance, v.Weight = 1+consensus.Stance(c.IntN(3)), c.Float64()
				if v.Seq > 0 {
					v.Seq--
					if !slices.ContainsFunc(p.votes, func(w consensus.Vote) bool {
						return w.Voter == v.Voter && w.ProposalID == v.ProposalID && w.Seq == v.Seq
					}) {
						q.votes = append(q.votes, v)
					}
				}
			}
			q.votes = append(q.votes, p.votes[c.IntN(len(p.votes))])
		}
		c.same(q, c.decide(q), c.decide(p), "an older or repeated vote")
	})
}

// threshold: support that equals the threshold is enough.
func threshold(c *trial) {
	c.each(func(p *poll) {
		p.options.Threshold = 0.3
		d := c.decide(p)
		if d.Outcome != consensus.Reached {
			return
		}
		q := p.clone()
		q.options.Threshold = d.Support
		if e := c.decide(q); e.Outcome != consensus.Reached || e.Choice != d.Choice {
			c.fail(q, "%v at a threshold of its own support", e)
		}
		q.options.Threshold = math.Nextafter(d.Support, 2)
		if q.options.Threshold <= 1 {
			if e := c.decide(q); e.Outcome == consensus.Reached && e.Support <= d.Support {
				c.fail(q, "%v above its support", e)
			}
		}
	})
}
