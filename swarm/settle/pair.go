package settle

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Pair is two proposals in conflict, with the votes on them.
type Pair struct{ A, B agents.Standing }

// Voters returns the voters for either side, in the order of their votes: those who
// agree with it and not with the other one. Only those in the electorate count; nil is
// everybody.
func (p Pair) Voters(electorate []string) (a, b []string) {
	return p.prefer(p.A, p.B, electorate), p.prefer(p.B, p.A, electorate)
}

func (p Pair) prefer(one, other agents.Standing, electorate []string) (all []string) {
	for _, v := range one.Votes {
		rival := other.VoteOf(v.Source)
		both := rival != nil && rival.Payload.Stance == signals.Agree
		may := electorate == nil || slices.Contains(electorate, v.Source)
		if v.Payload.Stance == signals.Agree && !both && may {
			all = append(all, v.Source)
		}
	}
	return all
}

// A Count is how many voters are for either side of a pair.
type Count struct{ A, B int }

// Majority returns the side that more voters are for, by [Pair.Voters]; ok is false if
// both have equally many.
func (p Pair) Majority(electorate []string) (winner agents.Standing, n Count, ok bool) {
	a, b := p.Voters(electorate)
	n = Count{len(a), len(b)}
	switch {
	case n.A > n.B:
		return p.A, n, true
	case n.B > n.A:
		return p.B, n, true
	}
	return agents.Standing{}, n, false
}

// Probability returns the probability that A is right if one of the two is: 1/2 if
// nothing is known of either. d is a decision on ballots with both proposals.
func (p Pair) Probability(d consensus.Decision) float64 {
	var a, b float64
	for _, t := range d.Tallies() {
		switch t.ProposalID {
		case p.A.ID():
			a = t.Probability
		case p.B.ID():
			b = t.Probability
		}
	}
	if a == b {
		return 0.5
	}
	return a / (a + b)
}
