package reliability

import "github.com/swarmbus/swarmbus/consensus"

// Next returns whom of rest to ask next, "" of nobody: the one whose vote, beside those already in, would
// weigh most for its cost. That is the best by reputation, less what it shares with those who voted. cost is
// what asking a voter costs, above 0; nil: the same for all. Ties go to the first.
func (m *Model) Next(b consensus.Ballots, rest []string, cost func(voter string) float64) string {
	q := m.whole(b)
	c := m.cast(&q)
	f := make([]float64, len(c.voter))
	m.params.weights(c, q.field, f)
	top, next := 0.0, ""
	for i, name := range rest {
		j := m.voter(name)
		news := m.params.strength(j, q.field, m.params.usual(int(j), max(q.field, 2)).lift)
		for h, g := range c.voter {
			news -= m.params.Corr.between(j, g) * f[h] * c.part[h] * m.params.strength(g, q.field, c.lift[h])
		}
		if x := worth(news, name, cost); i == 0 || x > top {
			top, next = x, name
		}
	}
	return next
}

// worth is news per cost; what is no news is worse the more it costs.
func worth(news float64, name string, cost func(string) float64) float64 {
	switch {
	case cost == nil:
		return news
	case news < 0:
		return news * cost(name)
	default:
		return news / cost(name)
	}
}

// whole is all ballots as one question, with stances those of every proposal together: one per voter.
func (m *Model) whole(b consensus.Ballots) question {
	if !m.kind.stances {
		return m.kind.questions(b)[0]
	}
	cast := castIn(b)
	q := question{field: 2}
	for i, v := range cast {
		if i == 0 || cast[i-1].Voter != v.Voter {
			q.ballots = append(q.ballots, ballot{voter: v.Voter, weight: v.Weight})
		}
	}
	return q
}
