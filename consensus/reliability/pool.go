package reliability

import (
	"math"

	"github.com/swarmbus/swarmbus/consensus"
)

// Probabilities returns the probability of being right of each proposal, in the order of
// [consensus.Ballots.Proposals], and of none of these. They add up to 1, but for rounding to 2^-40. A
// proposal that nobody has spoken of has 0.
func (m *Model) Probabilities(b consensus.Ballots) (each []float64, none float64) {
	p := m.pool(b, b.Correlation())
	return p.each, p.none
}

// pooled are probabilities by proposal.
type pooled struct {
	each []float64
	none float64
}

func (p *pooled) of(place int) float64 {
	if place < 0 {
		return p.none
	}
	return p.each[place]
}

// pool reckons with ρ for the correlation that votes cannot show.
func (m *Model) pool(b consensus.Ballots, rho float64) pooled {
	p := pooled{each: make([]float64, len(b.Proposals()))}
	qs := m.kind.questions(b)
	switch {
	case m.kind.stances:
		m.poolStances(qs, rho, &p)
	case len(qs[0].names) == 0:
		p.none = 1
	case qs[0].own:
		ev := m.answer(&qs[0], rho)
		p.none = round(ev[len(ev)-1])
		for c, place := range qs[0].places {
			p.each[place] = round(ev[c])
		}
	default:
		m.poolShared(b, m.answer(&qs[0], rho), &p)
	}
	return p
}

// poolStances asks which one proposal is right, if at most one is: odds of each by itself, against 1 for none.
func (m *Model) poolStances(qs []question, rho float64, p *pooled) {
	odds := make([]float64, len(qs)+1)
	for i := range qs {
		a := m.answer(&qs[i], rho)
		odds[i] = math.Log(max(a[0], 1e-300) / max(a[1], 1e-300))
	}
	softmax(odds)
	for i := range qs {
		p.each[qs[i].places[0]] = round(odds[i])
	}
	p.none = round(odds[len(qs)])
}

// poolShared gives choices that are not proposed to none of these.
func (m *Model) poolShared(b consensus.Ballots, answer []float64, p *pooled) {
	rest := 1.0
	for i, name := range b.Proposals() {
		x := answer[m.kind.choices[name]]
		p.each[i] = round(x)
		rest -= x
	}
	p.none = round(max(0, rest))
}

// answer returns the probability of each candidate of a question.
func (m *Model) answer(q *question, rho float64) []float64 {
	voter, stated := m.cast(q)
	f := make([]float64, len(voter))
	m.params.weights(voter, stated, q.field, f)
	lp := make([]float64, q.field*levels)
	m.likelihood(q, voter, f, stated, lp)
	ev := make([]float64, q.field)
	marginal(lp, ev)
	m.params.discount(rho, f, stated, ev)
	m.refitted(q, voter, stated, ev)
	return ev
}

func (m *Model) cast(q *question) (voter []int32, stated []float64) {
	voter, stated = make([]int32, len(q.ballots)), make([]float64, len(q.ballots))
	for i := range q.ballots {
		voter[i], stated[i] = m.voter(q.ballots[i].voter), q.ballots[i].weight
	}
	return voter, stated
}

// likelihood fills lp with the log joint of candidate, difficulty and ballots.
func (m *Model) likelihood(q *question, voter []int32, f, stated, lp []float64) {
	for c := range q.field {
		for d := range levels {
			lp[c*levels+d] = m.params.logw[d]
			if !q.own {
				lp[c*levels+d] += m.params.Prior[c]
			}
		}
	}
	for i := range q.ballots {
		w := f[i] * stated[i]
		if w == 0 {
			continue
		}
		b := &q.ballots[i]
		one := !b.not && len(b.among) == 1 && q.own == m.params.Own
		for c := range q.field {
			row := lp[c*levels:][:levels]
			for d := range row {
				if one {
					row[d] += w * m.logSays(q, int(voter[i]), c, int(b.among[0]), d)
				} else {
					row[d] += w * math.Log(max(m.says(q, b, int(voter[i]), c, d), 1e-300))
				}
			}
		}
	}
}

// logSays is the logarithm of says for a ballot for l alone, which is most of them.
func (m *Model) logSays(q *question, j, c, l, d int) float64 {
	p := m.params
	switch {
	case !p.Own && c == l:
		return p.right[(j*p.Choices+c)*levels+d]
	case !p.Own:
		return p.miss[(j*p.Choices+c)*levels+d] + p.Wrong[(j*p.Choices+c)*p.Choices+l]
	case c == l:
		return p.right[j*levels+d]
	default:
		return p.miss[j*levels+d] - math.Log(float64(q.field-1))
	}
}

// says is the probability of a ballot when c is right, at a level of difficulty.
func (m *Model) says(q *question, b *ballot, j, c, d int) float64 {
	p := 0.0
	for _, l := range b.among {
		p += m.saysOne(q, j, c, int(l), d)
	}
	if b.not {
		return 1 - p
	}
	return p
}

func (m *Model) saysOne(q *question, j, c, l, d int) float64 {
	switch p := m.params; {
	case q.own && p.Own:
		if c == l {
			return math.Exp(p.right[j*levels+d])
		}
		return math.Exp(p.miss[j*levels+d]) / float64(q.field-1)
	case q.own: // choices that the model does not know: the voter's own rate
		right := sigma(p.Base[j] + p.x[d])
		if c == l {
			return right
		}
		return (1 - right) / float64(q.field-1)
	case c == l:
		return math.Exp(p.right[(j*p.Choices+c)*levels+d])
	default:
		return math.Exp(p.miss[(j*p.Choices+c)*levels+d] + p.Wrong[(j*p.Choices+c)*p.Choices+l])
	}
}

// refitted applies what known outcomes have shown.
func (m *Model) refitted(q *question, voter []int32, stated, ev []float64) {
	r := m.params.Refit
	scale := r.scale()
	for c := range ev {
		ev[c] *= scale
	}
	for i := range q.ballots {
		if c, ok := q.ballots[i].single(q.field); ok {
			ev[c] += stated[i] * r.bonus(voter[i])
		}
	}
	r.finish(ev)
}
