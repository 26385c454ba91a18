package consensustest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
)

// poll is the input from which ballots are built.
type poll struct {
	options   consensus.Options
	proposals []string
	votes     []consensus.Vote
	closed    bool
}

func (p *poll) ballots() consensus.Ballots {
	b, err := consensus.NewBallots(&p.options, p.proposals, p.votes)
	if err != nil {
		panic(err)
	}
	if p.closed {
		return b.Close()
	}
	return b
}

func (p *poll) clone() *poll {
	q := *p
	q.proposals = slices.Clone(p.proposals)
	q.votes = slices.Clone(p.votes)
	return &q
}

// cast adds a vote after all others.
func (p *poll) cast(voter, proposal string, s consensus.Stance, weight float64) *poll {
	p.votes = append(p.votes, consensus.Vote{
		Seq: 1_000_000 + uint64(len(p.votes)), Voter: voter, ProposalID: proposal, Stance: s, Weight: weight,
	})
	return p
}

// crowd adds the same vote of n voters.
func (p *poll) crowd(prefix string, n int, proposal string, s consensus.Stance, weight float64) *poll {
	for i := range n {
		p.cast(fmt.Sprint(prefix, i), proposal, s, weight)
	}
	return p
}

// String formats the poll for failure messages.
func (p *poll) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  proposals %q, closed %v, options %+v\n", p.proposals, p.closed, p.options)
	for i, v := range p.votes {
		if i == 40 {
			fmt.Fprintf(&b, "  and %d more votes\n", len(p.votes)-i)
			break
		}
		fmt.Fprintf(&b, "  %d: %s %vs with %s, weight %v\n", v.Seq, v.Voter, v.Stance, v.ProposalID, v.Weight)
	}
	return b.String()
}

// draw returns a random poll: few proposals and voters, a favourite, decimal weights, voters that change
// their mind or vote on several proposals, sometimes ranks, groups, an electorate or other options.
func (c *trial) draw() *poll {
	p := &poll{closed: c.IntN(3) == 0}
	for i := range 1 + c.IntN(5) {
		p.proposals = append(p.proposals, fmt.Sprint("p", i))
	}
	c.drawOptions(&p.options)
	against := []float64{0, 0.1, 0.3, 0.6}[c.IntN(4)]
	favour := []float64{0.5, 0.8, 1}[c.IntN(3)]
	for range 1 + c.IntN(24) {
		proposal := 0
		if c.Float64() > favour {
			proposal = c.IntN(len(p.proposals))
		}
		v := consensus.Vote{
			Seq: uint64(len(p.votes)), Voter: fmt.Sprint("v", c.IntN(12)), ProposalID: p.proposals[proposal],
			Stance: consensus.Agree, Weight: float64(c.IntN(11)) / 10,
		}
		if r := c.Float64(); r < against {
			v.Stance = consensus.Disagree
		} else if r > 0.93 {
			v.Stance = consensus.Abstain
		}
		p.votes = append(p.votes, v)
	}
	return p
}

func (c *trial) drawOptions(o *consensus.Options) {
	if c.IntN(2) == 0 {
		o.Threshold = []float64{0.2, 0.5, 0.6, 0.9, 1}[c.IntN(5)]
		o.Quorum = c.IntN(4)
	}
	if c.IntN(3) == 0 {
		o.Ranks = map[string]int{"v0": 3, "v1": 3, "v2": 1, "v3": 1, "v4": -2}
	}
	if c.IntN(4) == 0 {
		o.Groups = map[string]string{"v0": "g", "v1": "g", "v2": "g", "v5": "h", "v6": "h", "v7": "h"}
	}
	if c.IntN(5) == 0 {
		for i := range 9 {
			o.Electorate = append(o.Electorate, fmt.Sprint("v", i))
		}
	}
}

// plain removes what lets weight, rank or group decide against numbers of
// voters.
func (p *poll) plain() *poll {
	q := p.clone()
	q.options.Ranks, q.options.Groups = nil, nil
	for i := range q.votes {
		q.votes[i].Weight = 1
	}
	return q
}
