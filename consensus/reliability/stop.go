package reliability

import (
	"cmp"
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Stop says when a decision has enough votes. The zero value means the defaults.
type Stop struct {
	Sure  float64 // probability of the leader at which to stop; 0 means 0.99
	Worth float64 // least gain in the probability of being right for which one more vote is asked; 0 means 0.01
}

// furthest is the largest number of further votes that is considered at once.
const furthest = 34

// Enough reports whether to stop asking. rest lists the voters who could still be asked, in the order in which they
// would be (see [Model.Next]).
//
// Asking r more voters, up to 34, is worth the expected value of sample information (Raiffa and Schlaifer, 1961): the
// probability that they put the runner-up ahead and it is right, less the probability that they do and the leader is
// right. Enough returns true if no voter is left. Otherwise it returns false before the first vote, and then true once
// the leader's probability reaches Sure, or no r gains Worth per vote. While little has been learned, a vote may gain
// less, because it also teaches about its voter.
//
// Enough weighs the leader against the runner-up. It does not ask whether the leader has a quorum or reaches the
// threshold of the ballots: where decisions have to, ask on until they do.
func (m *Model) Enough(b consensus.Ballots, rest []string, s Stop) bool {
	if len(rest) == 0 {
		return true
	}
	r := m.read(b)
	if !r.heard() {
		return false
	}
	odds := slices.Sorted(slices.Values(r.pool(b.Correlation(), true)))
	first, second := odds[len(odds)-1], odds[len(odds)-2]
	if first >= cmp.Or(s.Sure, 0.99) {
		return true
	}
	worth, lead := cmp.Or(s.Worth, 0.01)*r.m.trust, math.Log(first/max(second, 1e-12))
	mean, variance := 0.0, 0.0 // of what those asked add to the log-odds of whichever is right
	for i, name := range rest[:min(len(rest), furthest)] {
		strength := math.Abs(m.fit.Strength(m.voter(name)))
		right := math.Tanh(strength / 2) // how much more often it says what is right than the other
		strength /= 1 + m.fit.Errors()*float64(b.Voters()+i)
		mean += strength * right
		variance += strength * strength * (1 - right*right)
		behind := func(mean float64) float64 { return math.Erfc((lead+mean)/math.Sqrt(2*variance+1e-18)) / 2 }
		if second*behind(-mean)-first*behind(mean) >= worth*float64(i+1) {
			return false
		}
	}
	return true
}
