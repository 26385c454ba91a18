package reliability

import "fmt"

// Certificate reports how well the votes that a [Model] was learned from distinguish their consensus from a rival one.
// Agreement alone cannot: permute the answers, and the reliabilities of the voters with them, and the votes are just
// as likely (label switching: Stephens, 2000; for raters, Dawid and Skene, 1979). Only the assumption that voters beat
// chance tells the two apart. The consensus is therefore in doubt if one of these shares is large:
//
//   - The share of votes by voters estimated to be clearly worse than chance, without the one of them who votes most.
//     Doubt starts at 0.1 and is full at 0.3.
//   - With more than two choices, the share of decisions in which a fit that starts from the runner-up of every
//     decision ends with another answer, provided that this fit, too, takes most votes to be better than chance: there
//     is a second camp. Doubt starts at 0.15 and is full at 0.45.
//   - The share of decisions in which most votes are for the answer, but would not be if all voters who agree with
//     nearly every answer counted as one: voters who know what is right and voters who follow a single source agree in
//     the same way. Doubt starts at 0.1 and is full at 0.25.
//
// Doubt is the probability that the consensus carries no information about what is right, at most 0.35. It lowers the
// confidence of decisions: a unanimous one can still be reached, but never with 95 % confidence. It grows with the
// number of voters, from 3 to 23, because in a small team a single voter is no evidence of a camp. Known outcomes are
// direct evidence about the voters: five of them halve it.
//
// Where 40 % of the voters or more collude, no method does better without known outcomes than to report doubt. Where
// 20 % do, doubt may be reported although the consensus is right. Sleepers, who vote well until it matters, are not
// detected. docs/quality.md has the figures.
type Certificate struct {
	OK         bool    `json:"ok"`         // Doubt is below 0.1
	Doubt      float64 `json:"doubt"`      // probability that the consensus is uninformative, derived from the four below
	Below      float64 `json:"below"`      // share of votes by voters clearly worse than chance, the most active excepted
	Rival      float64 `json:"rival"`      // share of decisions the rival fit answers otherwise; 0 with two choices
	RivalBelow float64 `json:"rivalBelow"` // share of votes by voters worse than chance by the rival fit
	Block      float64 `json:"block"`      // share of decisions that turn if the block of constant agreers counts as one

	// Group reports that half of the voters or more are of one group of [consensus.Options.Groups] and err together,
	// while fewer than ten outcomes are known: agreement shows what that group thinks, so nothing is learned from it.
	Group bool `json:"group,omitempty"`
}

const (
	clearly = 0.8  // multiple of chance below which a voter is clearly worse: a spammer at chance is no adversary
	few     = 5.0  // known outcomes that halve the doubt
	gravest = 0.35 // greatest doubt: a unanimous decision can still be reached, but is never sure

	blockAgrees = 0.95 // share of a voter's votes that agree with the answers, for it to belong to the block
	blockLeast  = 10.0 // least number of its votes
)

// ramp rises linearly from 0 at from to 1 at to.
func ramp(x, from, to float64) float64 { return min(1, max(0, (x-from)/(to-from))) }

func (c *Certificate) weigh(voters float64, told int) {
	camp := ramp(c.Rival, 0.15, 0.45) * ramp(0.65-c.RivalBelow, 0, 0.2)
	c.Doubt = gravest * max(ramp(c.Below, 0.1, 0.3), camp, ramp(c.Block, 0.1, 0.25)) * crowd(int(voters)) / (1 + float64(told)/few)
	c.OK = c.Doubt < 0.1
}

// Reason says in a few words why the certificate is not OK, and returns "" if it is. The wording may change.
func (c Certificate) Reason() string {
	switch {
	case c.OK:
		return ""
	case c.Group:
		return fmt.Sprintf("half of the voters or more are of one group that errs together, and fewer than %d outcomes are known", groupTold)
	case ramp(c.Below, 0.1, 0.3) >= 0.5:
		return fmt.Sprintf("voters with %.0f %% of the votes would have to be worse than chance", 100*c.Below)
	case ramp(c.Block, 0.1, 0.25) >= 0.5:
		return fmt.Sprintf("%.0f %% of the decisions rest on voters who always agree", 100*c.Block)
	default:
		return fmt.Sprintf("a rival consensus in %.0f %% of the decisions fits as well", 100*c.Rival)
	}
}

// certify returns the certificate of a fit, given the batch it was fitted to. It costs as much as one fit.
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

// effective returns the effective number of voters, given that some vote more often than others (Kish, 1965).
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

// below returns the share of votes by voters whose P(right), averaged over the choices, is below the given multiple of
// chance, and the largest share that one of them has. With two choices and a multiple of 1, these are the voters with
// sensitivity + specificity < 1.
func (m *parameters) below(b *batch, chance float64) (share, heaviest float64) {
	cast, odds := make([]float64, b.Voters), make([]float64, b.Voters)
	for t := range b.size() {
		v := b.votes(t)
		for _, j := range v.voter {
			cast[j]++
			odds[j] += chance / (1 + m.others(m.between(v)))
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

// leads returns the most probable answer to each decision, given its votes.
func (m *parameters) leads(b *batch) []int {
	lead, p, fitted := make([]int, b.size()), make([]float64, b.widest()), weigher{m: m}
	for t, k := range b.Field {
		fitted.evidence(b.votes(t), p[:k])
		lead[t] = best(p[:k])
	}
	return lead
}

// block returns the share of decisions in which most votes are for the answer, but no longer are once all voters who
// agree with nearly every answer count as one.
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

// rival fits again, starting from the runner-up of every decision, and returns that fit and the share of decisions in
// which it ends with another answer.
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
