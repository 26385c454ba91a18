package reliability

import "fmt"

// Certificate says whether the votes a [Model] was learned from can tell their consensus from a rival one.
// Agreement alone cannot: read every answer as another, and every voter's reliability with it, and the votes
// are as likely as before (label switching: Stephens, 2000; for raters Dawid and Skene, 1979). Only the
// belief that voters beat chance decides, so there is no certificate when
//
//   - voters with a fifth of the votes are held to be clearly worse than chance, or
//   - with more than two choices, a fit that starts from every decision's runner-up stays with another
//     answer in three decisions of ten, and holds most votes to be better than chance as well: a second camp.
//
// From 40 % colluders on, nothing without known outcomes does better than saying so. At 20 % it may say so
// although the consensus is right, and with three choices now and then of an honest swarm. It does not see
// sleepers, who vote well until it matters. docs/quality.md has the figures.
type Certificate struct {
	OK         bool    `json:"ok"`
	Below      float64 `json:"below"`      // share of votes by voters held to be clearly worse than chance
	Rival      float64 `json:"rival"`      // share of decisions that the rival fit answers otherwise; 0 of two choices
	RivalBelow float64 `json:"rivalBelow"` // share of votes by voters whom the rival fit holds to be worse than chance
}

const (
	belowLimit = 0.2
	rivalLimit = 0.3
	campLimit  = 0.55
	clearly    = 0.8 // of chance: a spammer at chance is no adversary
)

// Reason says in a few words why there is no certificate, "" when there is one. The wording may change.
func (c Certificate) Reason() string {
	switch {
	case c.OK:
		return ""
	case c.Below >= belowLimit:
		return fmt.Sprintf("voters with %.0f %% of the votes would have to be worse than chance", 100*c.Below)
	default:
		return fmt.Sprintf("a rival consensus in %.0f %% of the decisions fits as well", 100*c.Rival)
	}
}

// certify judges a fit on the batch it was fitted to, at the cost of one fit.
func (m *parameters) certify(b *batch, o Options) Certificate {
	c := Certificate{Below: m.below(b, clearly)}
	c.OK = c.Below < belowLimit
	if !c.OK || b.Choices < 3 {
		return c
	}
	rival, differ := m.rival(b, o)
	c.Rival, c.RivalBelow = differ, rival.below(b, 1)
	c.OK = c.Rival < rivalLimit || c.RivalBelow >= campLimit
	return c
}

// below is the share of votes by voters whose mean P(right) over the choices is under that multiple of
// chance; for two choices and 1: sensitivity + specificity < 1.
func (m *parameters) below(b *batch, chance float64) float64 {
	cast, odds := make([]float64, b.Voters), make([]float64, b.Voters)
	for t := range b.size() {
		v := b.votes(t)
		for _, j := range v.voter {
			cast[j]++
			odds[j] += chance / float64(m.between(v))
		}
	}
	all, low, cols := 0.0, 0.0, m.cols()
	for j, n := range cast {
		p, sure := 0.0, m.usual(j, m.alike())
		for c := range cols {
			p += sigma((m.Rate[j*cols+c]+sure.lift)*sure.flat) / float64(cols)
		}
		all += n
		if n > 0 && p < odds[j]/n {
			low += n
		}
	}
	return low / max(all, 1)
}

// rival fits from the runner-up of every decision, and returns in what share of them it stays with another
// answer.
func (m *parameters) rival(b *batch, o Options) (rival *parameters, differ float64) {
	e := newEM(b, o)
	if e.group = e.sharing(); e.group != nil {
		e.share(e.group)
	}
	k := b.Choices
	lead := make([]int, b.size())
	e.start(func(t int, p []float64) {
		m.evidence(b.votes(t), p)
		lead[t] = best(p)
		clear(p)
		for _, l := range b.votes(t).said {
			p[l]++
		}
		p[lead[t]] = 0.01
		s := 0.0
		for _, x := range p {
			s += x
		}
		for c := range p {
			p[c] /= s
		}
	})
	e.run()
	for t, y := range b.Known {
		if y < 0 && best(e.post[t*k:][:k]) != lead[t] {
			differ++
		}
	}
	return e.m, differ / max(float64(b.size()), 1)
}
