package consensustest

import (
	"github.com/swarmbus/swarmbus/consensus"
)

// confidence: it is the probability that the tallies state.
func confidence(c *trial) {
	c.each(func(p *poll) {
		d := c.decide(p)
		var top, lead float64
		rest := 1.0
		for _, t := range p.ballots().Tallies() {
			top = max(top, t.Probability)
			rest -= t.Probability
			if t.ProposalID == d.Leader() {
				lead = t.Probability
			}
		}
		if d.Leader() != "" && d.Outcome != consensus.Rejected && lead >= top && lead > rest && d.Confidence != lead {
			c.fail(p, "confidence is %v, the leader's probability %v", d.Confidence, lead)
		}
	})
}

// discount: correlated voters never give more confidence than independent ones.
func discount(c *trial) {
	c.each(func(p *poll) {
		d := c.decide(p)
		q := p.clone()
		q.options.Correlation = consensus.Independent
		e := c.decide(q)
		if e.Outcome == d.Outcome && d.Confidence > e.Confidence {
			c.fail(p, "confidence %v, but %v if voters were independent", d.Confidence, e.Confidence)
		}
	})
	p := (&poll{proposals: []string{"a"}}).crowd("v", 4, "a", consensus.Agree, 1)
	d := c.decide(p)
	p.options.Correlation = 1
	if e := c.decide(p); d.Confidence <= e.Confidence {
		c.fail(p, "confidence %v with full correlation, %v with little", e.Confidence, d.Confidence)
	}
}

// coins: voters known to be right no more often than wrong certify nothing.
func coins(c *trial) {
	for _, stance := range []consensus.Stance{consensus.Agree, consensus.Disagree} {
		rates := consensus.Rates{}
		p := (&poll{proposals: []string{"a"}}).crowd("v", 9, "a", stance, 1)
		for _, v := range p.votes {
			rates[v.Voter] = consensus.Reliability{Sensitivity: 0.5, Specificity: 0.5}
		}
		p.options.Reliabilities = rates
		if d := c.decide(p); d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected {
			c.fail(p, "%v by voters who might as well toss coins", d)
		}
		p.closed = true
		if d := c.decide(p); stance == consensus.Agree && d.Outcome != consensus.Uncertified || d.Outcome == consensus.Rejected {
			c.fail(p, "%v by voters who might as well toss coins", d)
		}
	}
}
