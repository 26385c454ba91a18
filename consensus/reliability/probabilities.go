package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Probabilities returns the probability that each proposal is right, in the order of [consensus.Ballots.Proposals], and
// the probability that none of them is. They sum to 1, except for rounding to 2^-40. A proposal that no one has voted
// for or against has what the votes alone leave it, which falls with the number of decisions learned from; among shared
// choices, also what was learned leaves it something. While no one has voted for or against anything, every proposal and
// none of them are equally probable.
func (m *Model) Probabilities(b consensus.Ballots) (each []float64, none float64) {
	p := m.read(b).pool(b.Correlation(), true)
	none = p[len(p)-1]
	return slices.Clip(p[:len(p)-1]), none
}

// pooled holds the probability of each proposal and, after these, of none.
type pooled []float64

// scale multiplies every probability by the factor.
func (p pooled) scale(factor float64) {
	for i := range p {
		p[i] *= factor
	}
}

// none is the place after those of the proposals, for none of them.
func (r *reading) none() int { return len(r.proposals) }

// pool returns the probabilities, given the correlation of errors that votes cannot show, with or without the doubt of
// the model.
func (r *reading) pool(rho float64, doubt bool) pooled {
	p := r.byVotes(rho)
	least := min(clearShare, p[r.clear.place])
	if trust := r.m.trust; trust > 0 && r.heard() {
		l := r.learned(rho)
		if doubt {
			r.doubt(l)
		}
		for i, x := range l {
			p[i] = (1-trust)*p[i] + trust*x
		}
	}
	if r.clear.share > 0 && r.clear.voters >= clearVoters && len(r.m.past.known) == 0 {
		p.raise(r.clear.place, least)
	}
	for i, x := range p {
		p[i] = math.Round(x*fraction) / fraction // so that sums in another order make no difference
	}
	return p
}

// doubt lowers the probabilities: with the probability of the doubt, the votes say nothing.
func (r *reading) doubt(p pooled) {
	size, n := r.m.fit.Doubt.Size, max(2, float64(len(r.questions[0].places)))
	for i, x := range p[:r.none()] {
		if x > 0 {
			p[i] += size * (1/n - x)
		}
	}
	p[r.none()] *= 1 - size
}

// byVotes returns the probabilities if nothing is known about any voter, as package consensus defines confidence: each
// vote is worth ln 4 times its weight, discounted for correlated errors.
func (r *reading) byVotes(rho float64) pooled {
	p := make(pooled, r.none()+1)
	for place, t := range r.b.Tallies() {
		p[place] = t.For - t.Against
	}
	worth, top, all := 2*math.Ln2/(1+rho*max(0, r.clear.weight-1)), slices.Max(p), 0.0
	for place, x := range p {
		p[place] = math.Exp(worth * (x - top))
		all += p[place]
	}
	p.scale(1 / all)
	return p
}

// place returns the index of the proposal that is candidate c, or that of none.
func (r *reading) place(q *question, c int32) int {
	switch k := r.m.kind; {
	case len(k.choices) > 0:
		if place := slices.Index(r.proposals, k.choices[c]); place >= 0 {
			return place
		}
		return r.none()
	case k.stances && c > 0 || int(c) >= len(q.places):
		return r.none()
	}
	return q.places[c]
}

// learned returns the probabilities by what was learned. With stances, that of each proposal if at most one is right is
// in proportion to its odds when asked by itself, with odds of 1 for none.
func (r *reading) learned(rho float64) pooled {
	p, all := make(pooled, r.none()+1), 1.0
	for _, q := range r.questions {
		x := r.m.fit.Probabilities(&q.Votes, rho)
		if !r.m.kind.stances {
			for c, y := range x {
				p[r.place(q, int32(c))] += y
			}
			return p
		}
		if x != nil {
			p[q.places[0]] = min(1e12, x[0]/max(x[1], 1e-12))
			all += p[q.places[0]]
		}
	}
	p[r.none()] = 1
	p.scale(1 / all)
	return p
}
