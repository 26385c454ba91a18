package settle

import (
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// A Settlement is how a conflict between two proposals ended for one of them.
type Settlement struct {
	Winner, Loser string
	By            string // what has settled it, in words
}

// A Strategy decides as another one does on the votes as they were cast, the losers of
// settlements included, and never for one of these. Where the votes have chosen nothing when
// voting is closed, and the settlements leave a single proposal that anybody is for, this is the
// choice, [consensus.BySettlement], unless no more is for it than against it: its support is its share of the voters who did not abstain,
// or what the votes give the leader if it is that, and its confidence is the probability that
// the votes give it. A settlement adds no evidence.
type Strategy struct {
	Of   consensus.Strategy
	Ends []Settlement // in log order
}

var _ consensus.Settler = Strategy{}

// Name returns the name of the other strategy.
func (s Strategy) Name() string { return s.Of.Name() }

// Decide implements [consensus.Strategy].
func (s Strategy) Decide(b consensus.Ballots) consensus.Decision {
	d := s.Of.Decide(b)
	if d.Outcome == consensus.Reached && s.lost(d.Choice) {
		d.Outcome, d.Choice = consensus.Pending, ""
		if b.Closed() {
			d.Outcome = consensus.Deadlocked
		}
	}
	if !b.Closed() || d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected || d.Voters < b.Quorum() {
		return d
	}
	left := slices.DeleteFunc(d.Tallies(), func(t consensus.Tally) bool { return t.Agree == 0 || s.lost(t.ProposalID) })
	if len(left) != 1 || left[0].Against >= left[0].For && left[0].Against > 0 {
		return d
	}
	at := slices.IndexFunc(s.Ends, func(e Settlement) bool { return e.Winner == left[0].ProposalID })
	if at < 0 {
		return d
	}
	if spoke, _ := b.Spoke(); d.Leader() != left[0].ProposalID {
		d.Support = float64(left[0].Agree) / float64(max(1, spoke))
	}
	d.Outcome, d.Choice, d.By, d.Lacks = consensus.BySettlement, left[0].ProposalID, s.Ends[at].By, ""
	d.Leaders, d.Confidence = []string{d.Choice}, left[0].Probability
	return d
}

// Settled implements [consensus.Settler].
func (s Strategy) Settled(b consensus.Ballots, left consensus.Left) bool {
	d := s.Decide(b)
	return (d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected) && consensus.Settled(s.Of, b, left)
}

// lost reports whether a settlement was against a proposal.
func (s Strategy) lost(id string) bool {
	return slices.ContainsFunc(s.Ends, func(e Settlement) bool { return e.Loser == id })
}
