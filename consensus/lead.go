package consensus

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// Lead returns the probability that an alternative with leader votes stays ahead of the others when it is
// not known how many more voters will come: that its share of all those voters is the largest, by the
// posterior of a uniform prior over shares given the votes. With one other alternative it is a Beta tail,
// the rule of adaptive consistency (Aggarwal and others, 2023); with more it is a Dirichlet integral,
// computed with independent Gamma variables (Devroye, 1986). Numbers of votes may be fractions; those not
// above 0 count as 0. Correlated votes have to be discounted first, as [Ballots.Lead] does.
//
// Stopping at 0.95 decides as all voters would have about nineteen times in twenty. The last digits
// may differ between machines: if processes have to agree, only one of them should call it.
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

// leadOfMany integrates the probability that all others are below over the leader's Gamma variable, ten
// standard deviations to both sides; 256 nodes give nine digits up to millions of votes.
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
// "none of these", by [Lead] on the weight for each, discounted as in [Decision.Confidence]; 0 if no one
// agrees with anything. It assumes that a voter agrees with one proposal; agreement with several makes
// it conservative. It takes time linear in the proposals.
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
