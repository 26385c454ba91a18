package consensus

import (
	"math"
	"slices"
)

// DefaultError is the value of a zero field of [Sequential].
const DefaultError = 0.05

// Sequential is the sequential probability ratio test (Wald, 1945): it continues until the evidence on a
// proposal leaves given bounds. Where voters err independently it needs, of all tests with the same error
// rates, the fewest voters on average (Wald and Wolfowitz, 1948); correlated voters are discounted. It is
// not a [Strategy]: two voters who agree do not reach the usual bounds, and it is set by error rates
// instead of a threshold.
type Sequential struct {
	Wrong  float64 // the rate of accepting wrong proposals, in (0,½); 0 or out of range: 0.05
	Missed float64 // the rate of turning down right ones; likewise
}

// Bounds returns the evidence, in nats, at or below which a proposal is turned down, and at or above
// which it is accepted: ln β/(1−α) and ln (1−β)/α.
func (s Sequential) Bounds() (lower, upper float64) {
	wrong, missed := oftenness(s.Wrong), oftenness(s.Missed)
	return math.Log(missed / (1 - wrong)), math.Log((1 - missed) / wrong)
}

func oftenness(p float64) float64 {
	if p > 0 && p < 0.5 {
		return p
	}
	return DefaultError
}

// Test returns [Reached] when the evidence accepts the proposal, [Rejected] when it turns it down and
// [Pending] while it does neither, or [Deadlocked] once voting is closed; below the quorum it does neither.
func (s Sequential) Test(b Ballots, proposal string) Outcome {
	lower, upper := s.Bounds()
	e := b.Evidence(proposal)
	switch {
	case b.Voters() < b.Quorum():
	case e >= upper:
		return Reached
	case e <= lower:
		return Rejected
	}
	if b.closed {
		return Deadlocked
	}
	return Pending
}

// Evidence returns the evidence for the proposal minus the evidence against it, in nats: the votes' weight
// times ln 4, or learned log-odds, discounted for voters who are not independent as in
// [Decision.Confidence]. It is the logarithm of the odds that the proposal is right, if they were even
// before the votes, and 0 for an unknown proposal.
func (b Ballots) Evidence(proposal string) float64 {
	bd := b.board()
	p := slices.Index(bd.from.proposals, proposal)
	if p < 0 {
		return 0
	}
	odds := posterior{scale: bd.discount() / billion}
	if !bd.learned() {
		odds.scale *= ln4
	}
	return odds.scale * float64(bd.total.evidence(p, bd.learned()))
}
