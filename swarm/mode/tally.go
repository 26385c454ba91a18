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

// count counts the answers of members by their worth.
func count(members []Member, calls []Call) (t tally) {
	place := map[string]int{}
	for i := range members {
		place[members[i].ID] = i
	}
	given := map[string]float64{}
	for _, c := range calls {
		if i, known := place[c.Agent]; known && c.Answer != "" {
			given[members[i].family()]++
			t.votes++
			if t.find(c.Answer) == nil {
				t.order = append(t.order, counted{answer: c.Answer})
			}
		}
	}
	for _, c := range calls {
		if i, known := place[c.Agent]; known && c.Answer != "" {
			m := &members[i]
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

// share returns the part of the weight that is for the first answer.
func (t *tally) share() float64 { return t.order[0].weight / t.all }
