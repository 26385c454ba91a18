package reliability

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/swarmbus/swarmbus/consensus"
)

// record is a voter's track record: how many of the decisions it voted in have a known outcome, and in how many of
// them it was right. Those before it changed do not count.
type record struct {
	Told    int  `json:"told"`
	Right   int  `json:"right"`
	Changed bool `json:"changed,omitempty"`
}

// records returns the track record of each voter, of whom some have changed.
func (b *batch) records(since []int) []record {
	of := make([]record, b.Voters)
	for j, at := range since {
		of[j].Changed = at > 0
	}
	for t, known := range b.Known {
		if known < 0 {
			continue
		}
		v := b.votes(t)
		for i, j := range v.voter {
			of[j].Told++
			if v.said[i] == known {
				of[j].Right++
			}
		}
	}
	return of
}

// because explains why the voters for the choice outweigh a side with as many or more: that for another proposal, or that
// against the choice, whichever has most voters. It returns "" if they are more themselves.
func (m *Model) because(b consensus.Ballots, choice string) string {
	at := slices.Index(b.Proposals(), choice)
	sides := m.sides(b, at)
	others := new(side)
	for _, of := range slices.Sorted(maps.Keys(sides)) {
		if of != at && sides[of].n > others.n {
			others = sides[of]
		}
	}
	return m.outweighing(sides[at], others)
}

// against explains why the voters against the only proposal outweigh as many or more for it, like because.
func (m *Model) against(b consensus.Ballots) string {
	sides := m.sides(b, 0)
	return m.outweighing(sides[opposed], sides[0])
}

// opposed is the side of those who are against a proposal and not for it.
const opposed = -1

// sides returns the voters for each proposal that has any and, at opposed, those against the given one.
func (m *Model) sides(b consensus.Ballots, at int) map[int]*side {
	sides := map[int]*side{at: new(side), opposed: new(side)}
	for who, votes := range b.ByVoter() {
		against := false
		for _, v := range votes {
			switch {
			case v.Stance == consensus.Agree:
				if sides[v.Proposal] == nil {
					sides[v.Proposal] = new(side)
				}
				sides[v.Proposal].add(m, who)
			case v.Stance == consensus.Disagree && v.Proposal == at:
				against = true
			}
		}
		if against {
			sides[opposed].add(m, who)
		}
	}
	return sides
}

func (m *Model) outweighing(those, others *side) string {
	if those.n == 0 || those.n > others.n {
		return ""
	}
	outweigh := " outweigh "
	if those.n == 1 {
		outweigh = ", outweighs "
	}
	return m.whoAre(those) + outweigh + m.whoAre(others)
}

// side is the voters on one side: how many there are, for how many they count, in units of 1/whole, the name of one,
// and those the model knows, of copies only one.
type side struct {
	n       int
	counted int64
	name    string
	known   []int32
}

func (s *side) add(m *Model, who consensus.Bloc) {
	s.n, s.name = s.n+who.N, who.Name
	j, n := m.count(who)
	if _, known := m.voters[who.Name]; known {
		first := m.params.first(j)
		at := slices.IndexFunc(s.known, func(k int32) bool { return m.params.first(k) == first })
		if at >= 0 {
			s.known[at] = min(s.known[at], j) // whatever their order
			return
		}
		s.known = append(s.known, j)
	}
	s.counted += n
}

// whoAre describes the voters of a side by how many of them count, if copies or groups share votes, and by their track
// record, or by their estimated reliability if no outcome is known.
func (m *Model) whoAre(s *side) string {
	slices.Sort(s.known) // the sum must not depend on their order
	var r record
	held, changed := 0.0, 0
	for _, j := range s.known {
		held += m.params.held(j, m.params.alike())
		if int(j) < len(m.params.Records) {
			r.Told += m.params.Records[j].Told
			r.Right += m.params.Records[j].Right
			if m.params.Records[j].Changed {
				changed++
			}
		}
	}
	who, were := strconv.Itoa(s.n)+" who", " were"
	switch count := math.Round(10*float64(s.counted)/whole) / 10; {
	case s.n == 1:
		who, were = strconv.Quote(s.name)+",", ""
	case count < float64(s.n):
		who += fmt.Sprintf(" count as %g and", count)
	}
	switch {
	case r.Told > 0 && changed == 0:
		return fmt.Sprintf("%s%s right in %d of %d told", who, were, r.Right, r.Told)
	case r.Told > 0 && s.n == 1:
		return fmt.Sprintf("%s%s right in %d of %d told since it changed", who, were, r.Right, r.Told)
	case r.Told > 0:
		return fmt.Sprintf("%s%s right in %d of %d told, of %d only since a change", who, were, r.Right, r.Told, changed)
	case len(s.known) > 0:
		return fmt.Sprintf("%s%s held to be right in %.0f %%", who, are(were), 100*held/float64(len(s.known)))
	default:
		return fmt.Sprintf("%s%s new", who, are(were))
	}
}

// are returns the present tense of were.
func are(were string) string {
	if were == "" {
		return ""
	}
	return " are"
}
