package mode

import (
	"cmp"
	"math"
	"slices"
)

// A Member is an agent of the team.
type Member struct {
	ID     string  `json:"id"`
	Family string  `json:"family,omitempty"` // of agents that err together; "": the agent alone
	Right  float64 `json:"right"`            // how often it is right, by what is known; 0.5 if nothing is
}

// family returns whose answers the member's share their weight with.
func (m *Member) family() string { return cmp.Or(m.Family, "\x00"+m.ID) }

// worth returns the log-odds of the member's being right between so many answers.
func (m *Member) worth(answers int) float64 {
	const least = 0.05
	p := min(0.97, max(0.03, m.Right))
	return max(least, math.Log(p*float64(max(2, answers)-1)/(1-p)))
}

// An Outcome is a decision of which it became known what was right.
type Outcome struct {
	By    string            // the way in which it was decided: the text of a mode, or any other
	Chose string            // "": nothing
	Right string            // "": none of the answers
	Said  map[string]string // who answered what independently
}

// A record is what the outcomes say about members.
type record struct {
	told map[string]int // outcomes of decisions in which the member answered
	rate map[string]float64
}

// recordOf returns how often members were right, each drawn to the team's mean by as much of
// the spread between them as is chance: where all are alike, all weigh the same.
func recordOf(all []Outcome, members []Member) record {
	r := record{map[string]int{}, map[string]float64{}}
	right, hits, answers := map[string]float64{}, 0.0, 0.0
	var marks []map[string]float64 // by outcome and member: 1 if right
	for _, o := range all {
		if o.By == FactsFirst.String() {
			continue // its answers are not those of one agent
		}
		mark := map[string]float64{}
		for _, m := range members {
			said, spoke := o.Said[m.ID]
			if !spoke {
				continue
			}
			if mark[m.ID] = 0; said == o.Right {
				mark[m.ID] = 1
			}
			r.told[m.ID]++
			answers++
			right[m.ID] += mark[m.ID]
			hits += mark[m.ID]
		}
		marks = append(marks, mark)
	}
	mean, known := (hits+1)/(answers+2), 0.0
	off := func(id string) float64 { return right[id]/float64(r.told[id]) - mean }
	spread, chance, free := 0.0, 2.0, 10.0 // as of ten answers with a variance of 0.2
	for _, mark := range marks {           // by how much answers differ, beside the question and the member
		of := 0.0
		for _, x := range mark {
			of += x / float64(len(mark))
		}
		for id, x := range mark {
			d := x - of - off(id)
			chance += d * d
		}
		free += float64(max(0, len(mark)-1))
	}
	chance /= free
	noise := 0.0
	for _, m := range members {
		if r.told[m.ID] > 0 {
			known++
			spread += off(m.ID) * off(m.ID)
			noise += chance / float64(r.told[m.ID])
		}
	}
	real := max(0, spread-noise) / max(1, known)
	for _, m := range members {
		if r.rate[m.ID] = mean; r.told[m.ID] > 0 {
			r.rate[m.ID] += off(m.ID) * real / max(1e-9, real+chance/float64(r.told[m.ID]))
		}
	}
	return r
}

// rated returns the members with what is known of them, best first. Among equals the
// order stays as it is.
func (r record) rated(members []Member) []Member {
	all := slices.Clone(members)
	for i := range all {
		all[i].Right = r.rate[all[i].ID]
	}
	slices.SortStableFunc(all, func(a, b Member) int { return cmp.Compare(b.Right, a.Right) })
	return all
}

// voted returns how often a vote of the members would have been right.
func voted(all []Outcome, members []Member) float64 {
	right, of := 0, 0
	for _, o := range all {
		var calls []Call
		for _, m := range members {
			if said, spoke := o.Said[m.ID]; spoke {
				calls = append(calls, Call{Part: Answer, Agent: m.ID, Answer: said})
			}
		}
		if len(calls) == 0 {
			continue
		}
		of++
		if t := count(members, calls); len(t.order) > 0 && t.order[0].answer == o.Right {
			right++
		}
	}
	return float64(right) / float64(max(1, of))
}

// wins returns how often a way of deciding was right, and in how many outcomes.
func wins(all []Outcome, by string) (rate float64, of int) {
	right := 0
	for _, o := range all {
		if o.By != by {
			continue
		}
		of++
		if o.Chose == o.Right && o.Chose != "" {
			right++
		}
	}
	return float64(right) / float64(max(1, of)), of
}
