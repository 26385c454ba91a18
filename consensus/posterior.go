package consensus

import "math"

// ln4 is the evidence of a vote of weight 1 if nothing is known of its voter:
// odds of 4 to 1.
const ln4 = 2 * math.Ln2

// posterior is the softmax over the proposals and "none of these", which has evidence 0. Its terms are
// integers, in units of 2^-40 of the greatest, so that their sum does not depend on the order of the
// proposals.
type posterior struct {
	scale float64 // nats per unit of evidence, discounted
	top   int64   // the greatest evidence, at least 0
	sum   int64
}

// discount is γ, which shrinks the evidence of voters who are not independent as one shrinks a sample to
// its effective size (Kish, 1965).
func (bd *board) discount() float64 {
	return 1 / (1 + bd.terms.rho*max(0, float64(bd.total.weight)/billion-1))
}

func (bd *board) newPosterior(discount float64) posterior {
	learned := bd.learned()
	x := posterior{scale: discount / billion}
	if !learned {
		x.scale *= ln4
	}
	for p := range bd.total.counts {
		x.top = max(x.top, bd.total.evidence(p, learned))
	}
	x.sum = x.term(0)
	for p := range bd.total.counts {
		x.sum += x.term(bd.total.evidence(p, learned))
	}
	return x
}

func (x *posterior) term(evidence int64) int64 {
	return decay(x.scale * float64(evidence-x.top))
}

// of returns the probability of an alternative with that evidence.
func (x *posterior) of(evidence int64) float64 {
	return float64(x.term(evidence)) / float64(x.sum)
}

// confidence returns the probability of proposal p, or of "none of these" if p is -1. Discounting
// raises the probability of an alternative that the evidence does not favour; there the lesser of
// the two values counts.
func (bd *board) confidence(p int) float64 {
	var e int64
	if p >= 0 {
		e = bd.total.evidence(p, bd.learned())
	}
	c := bd.odds.of(e)
	if e < bd.odds.top && bd.terms.rho > 0 {
		plain := bd.newPosterior(1)
		c = min(c, plain.of(e))
	}
	return c
}
