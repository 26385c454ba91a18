package settle

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Pair is two proposals in conflict, with the votes on them.
type Pair struct{ A, B agents.Standing }

// voters returns the voters for either side, in the order of their votes: those who
// agree with it and not with the other one. Only those in the electorate count; nil
// means every voter.
func (p Pair) voters(electorate []string) (a, b []string) {
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

// Majority returns the side that more voters are for, by Pair.voters; ok is false if
// both have equally many.
func (p Pair) Majority(electorate []string) (winner agents.Standing, n Count, ok bool) {
	a, b := p.voters(electorate)
	n = Count{len(a), len(b)}
	switch {
	case n.A > n.B:
		return p.A, n, true
	case n.B > n.A:
		return p.B, n, true
	}
	return agents.Standing{}, n, false
}

// Probability returns the probability that A is right if one of the two is, by a
// strategy: 1/2 if nothing is known of either. b are ballots with both proposals, and o
// their options. Who agrees with one side rejects the other one, whether it says so or
// not: its vote against that does not count twice.
func (p Pair) Probability(b consensus.Ballots, by consensus.Strategy, o *consensus.Options) float64 {
	ids, agrees := []string{p.A.ID(), p.B.ID()}, map[string]bool{}
	for v := range b.Votes() {
		if v.Stance == consensus.Agree && slices.Contains(ids, v.ProposalID) {
			agrees[v.Voter] = true
		}
	}
	var votes []consensus.Vote
	for v := range b.Votes() {
		if slices.Contains(ids, v.ProposalID) && (v.Stance != consensus.Disagree || !agrees[v.Voter]) {
			votes = append(votes, v)
		}
	}
	pair, err := consensus.NewBallots(o, ids, votes)
	if err != nil {
		return 0.5
	}
	t := by.Decide(pair).Tallies()
	if len(t) != len(ids) || t[0].Probability == t[1].Probability {
		return 0.5
	}
	return t[0].Probability / (t[0].Probability + t[1].Probability)
}
