package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Probabilities returns the probability that each proposal is right, in the order of [consensus.Ballots.Proposals], and
// the probability that none of them is. They sum to 1, except for rounding to 2^-40. A proposal that nobody has voted
// for or against has probability 0, unless others have votes and all are shared choices. While nobody has voted for or
// against anything, every proposal and none of them are equally probable.
func (m *Model) Probabilities(b consensus.Ballots) (each []float64, none float64) {
	p := m.read(b).pool(b.Correlation(), true)
	return p.each, p.none
}

// pooled holds the probability of each proposal and of none.
type pooled struct {
	each []float64
	none float64
}

func newPooled(proposals int) pooled { return pooled{each: make([]float64, proposals)} }

// of returns the probability of a proposal, or of none for -1.
func (p *pooled) of(place int) float64 {
	if place < 0 {
		return p.none
	}
	return p.each[place]
}

// scale multiplies every probability by the factor.
func (p *pooled) scale(factor float64) {
	for i := range p.each {
		p.each[i] *= factor
	}
	p.none *= factor
}

// pool returns the probabilities, given the correlation of errors that votes cannot show, with or without the doubt of
// the model.
func (r *reading) pool(rho float64, doubt bool) pooled {
	if !r.heard() {
		x := 1 / float64(len(r.proposals)+1)
		return pooled{slices.Repeat([]float64{x}, len(r.proposals)), x}
	}
	p, silent := r.byVotes(rho)
	least := min(clearShare, p.of(r.clear.place)*(1-silent))
	if r.m.trust > 0 {
		l := r.learned(rho)
		if doubt {
			r.doubt(&l)
		}
		p.scale(1 - r.m.trust)
		for i, x := range l.each {
			p.each[i] += r.m.trust * x
		}
		p.none += r.m.trust * l.none
		silent *= (1 - r.m.trust) * (1 - r.m.trust)
	}
	r.dilute(&p, silent)
	if r.clear.share > 0 && len(r.m.past.known) == 0 {
		p.raise(r.clear.place, least)
	}
	for i, x := range p.each {
		p.each[i] = round(x)
	}
	p.none = round(p.none)
	return p
}

// round rounds to 2^-40, so that sums in another order make no difference.
func round(x float64) float64 { return math.Round(x*fraction) / fraction }

// doubt lowers the probabilities: with the probability of the doubt, the votes say nothing.
func (r *reading) doubt(p *pooled) {
	_, size := r.m.Doubt()
	n := 2.0
	for _, q := range r.questions {
		n = max(n, float64(len(q.places)))
	}
	for i, x := range p.each {
		if x > 0 {
			p.each[i] += size * (1/n - x)
		}
	}
	p.none *= 1 - size
}

// byVotes returns the probabilities if nothing is known about any voter, as package consensus defines confidence: each
// vote is worth ln 4 times its weight, discounted for correlated errors. Proposals without votes are left out; silent is
// the probability that one of them is right.
func (r *reading) byVotes(rho float64) (p pooled, silent float64) {
	evidence, weight := r.evidence(func(int32) float64 { return 2 * math.Ln2 })
	p = pooled{each: evidence}
	discount := 1 / (1 + rho*max(0, weight-1))
	top := 0.0
	for _, x := range p.each {
		top = max(top, x)
	}
	p.none = math.Exp(-discount * top)
	silent, voted := p.none*float64(len(r.proposals)), p.none
	has := r.voted()
	for i, x := range p.each {
		p.each[i] = 0
		if has[i] {
			p.each[i] = math.Exp(discount * (x - top))
			voted += p.each[i]
			silent -= p.none
		}
	}
	silent /= silent + voted
	p.scale(1 / voted)
	return p, max(0, silent)
}

// voted returns which proposals have votes.
func (r *reading) voted() []bool {
	has := make([]bool, len(r.proposals))
	for _, q := range r.questions {
		for _, place := range q.places {
			has[place] = true
		}
	}
	return has
}

// dilute leaves the proposals without votes the given probability.
func (r *reading) dilute(p *pooled, silent float64) {
	n, has := 0.0, r.voted()
	for _, is := range has {
		if !is {
			n++
		}
	}
	if n == 0 {
		return
	}
	p.scale(1 - silent)
	for place, is := range has {
		if !is {
			p.each[place] += silent / n
		}
	}
}

// evidence returns, for each proposal, what the votes for it are worth less those against it, and the weight of all
// voters. Where at most one proposal is right, a voter who agrees with one adds nothing by rejecting others.
func (r *reading) evidence(worth func(voter int32) float64) (each []float64, weight float64) {
	sums, all := make([]int64, len(r.proposals)), int64(0)
	for who, votes := range r.b.ByVoter() {
		voter, times := r.m.number(who)
		each, most := float64(times/int64(who.N)), 0.0
		agrees := slices.ContainsFunc(votes, func(v consensus.Position) bool { return v.Stance == consensus.Agree })
		for _, v := range spoken(votes) {
			x := int64(who.N) * int64(math.Round(v.Weight*worth(voter)*each))
			most = max(most, v.Weight)
			switch {
			case v.Stance == consensus.Agree:
				sums[v.Proposal] += x
			case r.m.kind.stances || !agrees:
				sums[v.Proposal] -= x
			}
		}
		all += int64(who.N) * int64(math.Round(most*each))
	}
	each = make([]float64, len(sums))
	for place, x := range sums {
		each[place] = float64(x) / fraction
	}
	return each, float64(all) / fraction
}

// place returns the index of the proposal that is candidate c, or -1 if none is.
func (r *reading) place(q *question, c int32) int {
	switch {
	case r.m.kind.stances && c == 0:
		return q.places[0]
	case r.m.kind.stances || r.m.kind.own() && int(c) >= len(q.places):
		return -1
	case r.m.kind.own():
		return q.places[c]
	}
	return slices.IndexFunc(r.proposals, func(p string) bool { return r.m.kind.choices[p] == c })
}

// learned returns the probabilities by what was learned.
func (r *reading) learned(rho float64) pooled {
	p := newPooled(len(r.proposals))
	if r.m.kind.stances {
		return r.learnedStances(rho, p)
	}
	q := r.questions[0]
	p.none = 1
	for c, x := range r.m.fit.Probabilities(&q.Votes, rho) {
		if place := r.place(q, int32(c)); place >= 0 {
			p.each[place] = x
			p.none -= x
		}
	}
	p.none = max(0, p.none)
	return p
}

// learnedStances returns the probability that each proposal is the right one if at most one is: in proportion to its
// odds when asked by itself, with odds of 1 for none.
func (r *reading) learnedStances(rho float64, p pooled) pooled {
	all := 1.0
	for _, q := range r.questions {
		if x := r.m.fit.Probabilities(&q.Votes, rho); x != nil {
			p.each[q.places[0]] = min(1e12, x[0]/max(x[1], 1e-12))
			all += p.each[q.places[0]]
		}
	}
	p.none = 1
	p.scale(1 / all)
	return p
}
