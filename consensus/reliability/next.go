package reliability

import (
	"math"

	"github.com/swarmbus/swarmbus/consensus"
)

// Next returns which voter of rest to ask next, or "" if rest is empty: the one whose vote is most informative for its cost, by
// its log-odds above chance. That may be one who is nearly always wrong. A copy of a voter who has voted tells nothing.
// cost returns the cost of asking a voter, above 0; nil means the same for all. Ties go to the first voter.
func (m *Model) Next(b consensus.Ballots, rest []string, cost func(voter string) float64) string {
	heard := map[int32]bool{}
	for who := range b.ByVoter() {
		if j, ok := m.voters[who.Name]; ok {
			heard[m.fit.First(j)] = true
		}
	}
	top, next := math.Inf(-1), ""
	for _, name := range rest {
		j, news := m.voter(name), 0.0
		if !heard[m.fit.First(j)] {
			news = math.Abs(m.fit.Strength(j))
		}
		if cost != nil {
			news /= cost(name)
		}
		if news > top {
			top, next = news, name
		}
	}
	return next
}
