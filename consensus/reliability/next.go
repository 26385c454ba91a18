package reliability

import "github.com/swarmbus/swarmbus/consensus"

// Next returns which voter of rest to ask next, or "" if rest is empty: the one whose vote would add most to those
// already cast, for its cost. What a vote adds is its voter's strength in log-odds, less what it has in common with
// those who have voted, by the correlations that were learned: groups in the ballots are not read. cost returns the
// cost of asking a voter, above 0; nil means the same for all. Ties go to the first voter.
func (m *Model) Next(b consensus.Ballots, rest []string, cost func(voter string) float64) string {
	q := m.whole(b)
	c := m.cast(&q)
	f := make([]float64, len(c.voter))
	m.params.weights(c, q.field, f)
	top, next := 0.0, ""
	for i, name := range rest {
		j := m.voter(name)
		news := m.params.unasked(j, q.field, m.params.usual(int(j), max(q.field, 2)).lift)
		for h, g := range c.voter {
			news -= m.params.Corr.between(j, g) * f[h] * c.part[h] * m.params.strength(g, q.field, c.lift[h])
		}
		if x := worth(news, name, cost); i == 0 || x > top {
			top, next = x, name
		}
	}
	return next
}

// worth returns news per unit of cost. Negative news is multiplied by the cost, so that it gets worse with it.
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

// whole returns all ballots as one question. With stances, it takes all proposals together, with one ballot per voter.
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
