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

// count counts the answers of members by their worth. Others weigh what the best member does.
func count(members []Member, calls []Call) (t tally) {
	place := map[string]*Member{}
	for i := range members {
		place[members[i].ID] = &members[i]
	}
	given := map[string]float64{}
	by := func(c Call) *Member {
		if m := place[c.Agent]; m != nil {
			return m
		}
		return &Member{ID: c.Agent, Right: members[0].Right}
	}
	for _, c := range calls {
		if c.Answer != "" {
			given[by(c).family()]++
			t.votes++
			if t.find(c.Answer) == nil {
				t.order = append(t.order, counted{answer: c.Answer})
			}
		}
	}
	for _, c := range calls {
		if c.Answer != "" {
			m := by(c)
			weight := m.worth(len(t.order)) / math.Sqrt(given[m.family()])
			t.find(c.Answer).weight += weight
			t.all += weight
		}
	}
	slices.SortStableFunc(t.order, func(a, b counted) int { return cmp.Compare(b.weight, a.weight) })
	if len(t.order) > 0 {
		ahead := t.order[0].weight
		if len(t.order) > 1 {
			ahead -= t.order[1].weight
		}
		t.lead = ahead * float64(t.votes) / t.all
	}
	return t
}

func (t *tally) find(answer string) *counted {
	for i := range t.order {
		if t.order[i].answer == answer {
			return &t.order[i]
		}
	}
	return nil
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
