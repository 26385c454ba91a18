package consensus

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// Lead returns the probability that an alternative with so many voices stays ahead of the others however
// many more voters come, when it is not known how many will: that its share of all those voters is the
// largest, by the posterior that the voices leave of a uniform prior over shares. With one other it is
// a Beta tail, the rule of adaptive consistency (Aggarwal and others, 2023), with more a Dirichlet
// integral, reckoned through independent Gamma variables (Devroye, 1986). Voices need not be whole and what
// is not above 0 counts as none; votes that go together have to be discounted first, as [Ballots.Lead] does.
//
// Stopping at 0.95 decides as everybody would have about nineteen times in twenty. The last digits may
// differ between machines: processes that have to agree should let one of them ask.
func Lead(leader float64, others ...float64) float64 {
	switch a := 1 + voices(leader); len(others) {
	case 0:
		return 1
	case 1:
		return mathext.RegIncBeta(1+voices(others[0]), a, 0.5)
	default:
		return leadOfMany(a, others)
	}
}

func voices(n float64) float64 { return max(0, min(math.MaxInt32, n)) }

// leadOfMany integrates over where the leader's Gamma variable is, ten deviations to both sides, how likely
// all others are below; 256 nodes are good for nine digits up to millions of voices.
func leadOfMany(a float64, others []float64) float64 {
	norm, _ := math.Lgamma(a)
	reach := 10*math.Sqrt(a) + 10
	ahead := func(x float64) float64 {
		p := math.Exp((a-1)*math.Log(x) - x - norm)
		for _, n := range others {
			p *= mathext.GammaIncReg(1+voices(n), x)
		}
		return p
	}
	return min(1, quad.Fixed(ahead, max(0, a-reach), a+2*reach, 256, nil, 0))
}

// Lead returns the probability that the proposal with the most weight stays ahead of all others and of
// none of these, by [Lead] on the weight for each, discounted as [Decision.Confidence] is; 0 when nobody
// agrees with anything. It takes a voter for one who agrees with one proposal; agreement with several
// makes it cautious. It costs a pass over the proposals.
func (b Ballots) Lead() float64 {
	bd := b.board()
	discount := bd.discount() / billion
	lead, rest := -1, []float64{discount * float64(bd.total.noneWeight)}
	for p, c := range bd.total.counts {
		if c.agree > 0 && (lead < 0 || c.favour > bd.total.counts[lead].favour) {
			lead = p
		}
	}
	if lead < 0 {
		return 0
	}
	for p, c := range bd.total.counts {
		if p != lead {
			rest = append(rest, discount*float64(c.favour))
		}
	}
	return Lead(discount*float64(bd.total.counts[lead].favour), rest...)
}
