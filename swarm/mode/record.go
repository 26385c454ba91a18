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

// prior is the number of outcomes for which the team's mean counts in a member's record.
const prior = 10

// A record is what the outcomes say about members.
type record struct {
	told map[string]int // outcomes of decisions in which the member answered
	rate map[string]float64
}

// recordOf returns how often members were right, each drawn to the team's mean.
func recordOf(all []Outcome, members []Member) record {
	r := record{map[string]int{}, map[string]float64{}}
	right, hits, answers := map[string]int{}, 0, 0
	for _, o := range all {
		if o.By == FactsFirst.String() {
			continue // its answers are not those of one agent
		}
		for _, m := range members {
			said, spoke := o.Said[m.ID]
			if !spoke {
				continue
			}
			r.told[m.ID]++
			answers++
			if said == o.Right {
				right[m.ID]++
				hits++
			}
		}
	}
	mean := float64(hits+1) / float64(answers+2)
	for _, m := range members {
		r.rate[m.ID] = (float64(right[m.ID]) + prior*mean) / (float64(r.told[m.ID]) + prior)
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
