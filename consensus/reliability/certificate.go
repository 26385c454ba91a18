package reliability

import "fmt"

// Certificate says how far the votes a [Model] was learned from can tell their consensus from a rival one.
// Agreement alone cannot: read every answer as another, and every voter's reliability with it, and the votes
// are as likely as before (label switching: Stephens, 2000; for raters Dawid and Skene, 1979). Only the
// belief that voters beat chance decides. So there is doubt, the more the more
//
//   - of the votes are by voters held to be clearly worse than chance, one of them aside: from a tenth of the
//     votes on, fully from three tenths, or
//   - with more than two choices, decisions there are in which a fit that starts from every decision's runner-up
//     stays with another answer: from 0.15 of them on, fully from 0.45, if it holds most votes to be better
//     than chance as well: a second camp, or
//   - decisions there are in which most votes are for the answer, and would not be if all voters who agree with
//     nearly every answer were one: from a tenth on, fully from a quarter. Voters who know what is right and voters who
//     follow one source agree alike.
//
// Doubt is a probability that the consensus says nothing of what is right, 0.35 at most, and lowers what a
// decision can claim: what all agree on can still be decided, but is never 95 % sure. It grows with the number of
// voters, from three to 23, since in a team of a few nobody stands for a camp. Known outcomes answer for voters
// themselves: five of them halve it.
//
// From 40 % colluders on, nothing without known outcomes does better than saying so. At 20 % it may say so
// although the consensus is right. It does not see sleepers, who vote well until it matters. docs/quality.md has
// the figures.
type Certificate struct {
	OK         bool    `json:"ok"`         // Doubt is below a tenth
	Doubt      float64 `json:"doubt"`      // probability that the consensus says nothing of what is right, by the four below
	Below      float64 `json:"below"`      // share of votes by voters held to be clearly worse than chance
	Rival      float64 `json:"rival"`      // share of decisions that the rival fit answers otherwise; 0 of two choices
	RivalBelow float64 `json:"rivalBelow"` // share of votes by voters whom the rival fit holds to be worse than chance
	Block      float64 `json:"block"`      // share of decisions that turn if those who agree with nearly every answer are one
}

const (
	clearly = 0.8  // of chance: a spammer at chance is no adversary
	few     = 5.0  // known outcomes that halve a doubt
	gravest = 0.35 // doubt there may be: what all agree on can still be decided, but is never sure

	blockAgrees = 0.95 // of a voter's votes, which make it one of those who agree with nearly every answer
	blockLeast  = 10.0 // votes it takes
)

// ramp rises from 0 to 1 between two bounds.
func ramp(x, from, to float64) float64 { return min(1, max(0, (x-from)/(to-from))) }

func (c *Certificate) weigh(voters float64, told int) {
	camp := ramp(c.Rival, 0.15, 0.45) * ramp(0.65-c.RivalBelow, 0, 0.2)
	c.Doubt = gravest * max(ramp(c.Below, 0.1, 0.3), camp, ramp(c.Block, 0.1, 0.25)) * crowd(int(voters)) / (1 + float64(told)/few)
	c.OK = c.Doubt < 0.1
}

// Reason says in a few words why there is no certificate, "" when there is one. The wording may change.
func (c Certificate) Reason() string {
	switch {
	case c.OK:
		return ""
	case ramp(c.Below, 0.1, 0.3) >= 0.5:
		return fmt.Sprintf("voters with %.0f %% of the votes would have to be worse than chance", 100*c.Below)
	case ramp(c.Block, 0.1, 0.25) >= 0.5:
		return fmt.Sprintf("%.0f %% of the decisions rest on voters who always agree", 100*c.Block)
	default:
		return fmt.Sprintf("a rival consensus in %.0f %% of the decisions fits as well", 100*c.Rival)
	}
}

// certify judges a fit on the batch it was fitted to, at the cost of one fit.
func (m *parameters) certify(b *batch, o Options) Certificate {
	share, heaviest := m.below(b, clearly)
	lead := m.leads(b)
	c := Certificate{Below: share - heaviest, Block: b.block(lead)}
	if b.widest() > 2 {
		rival, differ := m.rival(b, o, lead)
		c.Rival = differ
		c.RivalBelow, _ = rival.below(b, 1)
	}
	c.weigh(b.effective(), b.known())
	return c
}

// effective is how many voters there are in effect, when some vote more than others (Kish, 1965).
func (b *batch) effective() float64 {
	n, squares := make([]float64, b.Voters), 0.0
	for _, j := range b.Voter {
		n[j]++
	}
	for _, x := range n {
		squares += x * x
	}
	return float64(len(b.Voter)) * float64(len(b.Voter)) / max(squares, 1)
}

// below is the share of votes by voters whose mean P(right) over the choices is under that multiple of
// chance; for two choices and 1: sensitivity + specificity < 1.
func (m *parameters) below(b *batch, chance float64) (share, heaviest float64) {
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
			heaviest = max(heaviest, n)
		}
	}
	return low / max(all, 1), heaviest / max(all, 1)
}

// leads returns the most probable answer to each decision by its votes.
func (m *parameters) leads(b *batch) []int {
	lead, p, fitted := make([]int, b.size()), make([]float64, b.widest()), weigher{m: m}
	for t, k := range b.Field {
		fitted.evidence(b.votes(t), p[:k])
		lead[t] = best(p[:k])
	}
	return lead
}

// block is the share of decisions in which most votes are for the answer, and no longer are once all voters who agree
// with nearly every answer are one.
func (b *batch) block(lead []int) float64 {
	cast, with := make([]float64, b.Voters), make([]float64, b.Voters)
	for t := range lead {
		v := b.votes(t)
		for i, j := range v.voter {
			cast[j]++
			if int(v.said[i]) == lead[t] {
				with[j]++
			}
		}
	}
	turn := 0.0
	each, asOne := b.each(), b.each()
	for t, l := range lead {
		one, each, asOne := 0.0, each[t], asOne[t]
		v := b.votes(t)
		for i, j := range v.voter {
			each[v.said[i]]++
			if cast[j] < blockLeast || with[j] < blockAgrees*cast[j] {
				asOne[v.said[i]]++
			} else if int(v.said[i]) == l {
				one = 1
			}
		}
		asOne[l] += one
		if each[l] == each[best(each)] && asOne[l] < asOne[best(asOne)] {
			turn++
		}
	}
	return turn / max(float64(len(lead)), 1)
}

// rival fits from the runner-up of every decision, and returns in what share of them it stays with another
// answer.
func (m *parameters) rival(b *batch, o Options, lead []int) (rival *parameters, differ float64) {
	e := newEM(b, o, m.Shared)
	e.start(func(t int, p []float64) {
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
		if y < 0 && best(e.post[t]) != lead[t] {
			differ++
		}
	}
	return e.m, differ / max(float64(b.size()), 1)
}
