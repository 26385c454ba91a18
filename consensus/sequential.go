package consensus

import (
	"math"
	"slices"
)

// DefaultError is what a zero field of [Sequential] stands for.
const DefaultError = 0.05

// Sequential is the sequential probability ratio test (Wald, 1945): it asks on until the evidence on a
// proposal leaves the bounds within which more is worth having, and of all tests that err as rarely needs
// the fewest voters on average, where voters err independently (Wald and Wolfowitz, 1948). Those that do
// not are discounted. It is no [Strategy]: two voters who agree do not reach the usual bounds, and how often
// it errs is agreed beforehand in the place of a threshold.
type Sequential struct {
	Wrong  float64 // how often it may accept what is wrong, in (0,½); 0 or out of range: 0.05
	Missed float64 // how often it may turn down what is right; the same
}

// Bounds returns the evidence, in nats, at or below which a proposal is turned down, and that at or above
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

// Evidence returns by how many nats more speaks for the proposal than against it: the votes' weight in
// ln 4, or learned log-odds, discounted for voters who are not independent as [Decision.Confidence] is. It
// is the logarithm of the odds that the proposal is right before any were given, and 0 for one that is not
// known.
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
