package mode

import (
	"cmp"
	"math"
	"slices"
)

// A tally is the weights of answers.
type tally struct {
	order []counted // most first; among equals the one that was given first
	lead  float64   // of the first over the second, in votes of mean weight
	votes int
	all   float64 // weight
}

type counted struct {
	answer string
	weight float64
}

// A poll numbers answers and families, so that answers can be weighed again with others
// beside them at the cost of an addition each.
type poll struct {
	best     Member
	members  map[string]Member
	families map[string]int
	numbers  map[string]int // of answers
	answers  []string       // in the order in which they were first given
	votes    []vote
}

// A vote is an answer of somebody.
type vote struct {
	by             Member
	answer, family int
}

func newPoll(members []Member, calls []Call) *poll {
	p := &poll{members: map[string]Member{}, families: map[string]int{}, numbers: map[string]int{}}
	for i, m := range members {
		if p.members[m.ID] = m; i == 0 {
			p.best = m
		}
	}
	for _, c := range calls {
		if c.Answer == "" {
			continue
		}
		n, given := p.numbers[c.Answer]
		if !given {
			n = len(p.answers)
			p.numbers[c.Answer], p.answers = n, append(p.answers, c.Answer)
		}
		p.add(c.Agent, n)
	}
	return p
}

// add adds the answer of an agent. Others than members weigh what the best one does.
func (p *poll) add(agent string, answer int) {
	m, known := p.members[agent]
	if !known {
		m = Member{ID: agent, Right: p.best.Right}
	}
	f, known := p.families[m.family()]
	if !known {
		f = len(p.families)
		p.families[m.family()] = f
	}
	p.votes = append(p.votes, vote{m, answer, f})
}

// weigh returns the weights of so many answers, and of all votes.
func (p *poll) weigh(answers int) (weights []float64, all float64) {
	given, weights := make([]float64, len(p.families)), make([]float64, answers)
	for _, v := range p.votes {
		given[v.family]++
	}
	for _, v := range p.votes {
		weight := v.by.worth(answers) / math.Sqrt(given[v.family])
		weights[v.answer] += weight
		all += weight
	}
	return weights, all
}

// lead returns by how much the first of some weights is ahead of the second, in votes of mean weight.
func (p *poll) lead(weights []float64, all float64) float64 {
	first, second := 0.0, 0.0
	for _, w := range weights {
		first, second = max(first, w), max(second, min(first, w))
	}
	return (first - second) * float64(len(p.votes)) / all
}

// count counts the answers of members by their worth.
func count(members []Member, calls []Call) (t tally) {
	p := newPoll(members, calls)
	if t.votes = len(p.votes); t.votes == 0 {
		return t
	}
	weights, all := p.weigh(len(p.answers))
	for i, answer := range p.answers {
		t.order = append(t.order, counted{answer, weights[i]})
	}
	slices.SortStableFunc(t.order, func(a, b counted) int { return cmp.Compare(b.weight, a.weight) })
	t.all, t.lead = all, p.lead(weights, all)
	return t
}

// even is by how much of the greatest weight another one may be less and equal to it: sums of
// weights differ by their order.
const even = 1e-9

// leaders returns the answers with the greatest weight.
func (t *tally) leaders() (all []string) {
	for _, c := range t.order {
		if c.weight >= t.order[0].weight*(1-even) {
			all = append(all, c.answer)
		}
	}
	return all
}

// share returns the part of the weight that is for the first answer.
func (t *tally) share() float64 { return t.order[0].weight / t.all }
