package reliability

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// side is the voters on one side of a decision.
type side struct {
	n     int
	where string  // for or against
	name  string  // of one of them
	known []int32 // numbers of those the model knows
}

func (s *side) add(m *Model, who consensus.Bloc) {
	s.n, s.name = s.n+who.N, who.Name
	if j, ok := m.voters[who.Name]; ok {
		s.known = append(s.known, j)
	}
}

// because explains a final decision by the records of the voters on either side.
func (r *reading) because(d consensus.Decision) string {
	if !d.Final() || len(r.m.voters) == 0 || d.Outcome != consensus.Rejected && d.Leader() == "" {
		return ""
	}
	mine, against := r.sides(slices.Index(r.proposals, d.Leader()), d.Outcome == consensus.Rejected)
	if against.n == 0 || mine.n == 0 {
		return ""
	}
	for _, about := range []struct {
		of   []record
		text string
	}{{r.m.past.right, "right in %d of %d known outcomes"}, {r.m.past.sided, "with most of the others in %d of %d votes"}} {
		if them := against.record(r.m, about.of, about.text); them != "" {
			if us := mine.record(r.m, about.of, about.text); us != "" && mine.n <= against.n {
				return us + ", " + them
			}
			return them
		}
	}
	return ""
}

// sides divides those who are for or against something into the voters for the leader and all others, or where
// everything is rejected into those who agree with nothing and all others.
func (r *reading) sides(leader int, rejected bool) (mine, against *side) {
	mine, against = &side{where: "for it"}, &side{where: "against"}
	if rejected {
		mine.where, against.where = "against", "for it"
	}
	for who, votes := range r.b.ByVoter() {
		votes = spoken(votes)
		agrees := slices.ContainsFunc(votes, func(v consensus.Position) bool {
			return v.Stance == consensus.Agree && (rejected || v.Proposal == leader)
		})
		switch {
		case len(votes) == 0:
		case agrees != rejected:
			mine.add(r.m, who)
		default:
			against.add(r.m, who)
		}
	}
	slices.Sort(mine.known)
	slices.Sort(against.known)
	return mine, against
}

// record returns the record of the voters of a side in words, or "" if there is none.
func (s *side) record(m *Model, of []record, text string) string {
	var all record
	for _, j := range s.known {
		all.of, all.true = all.of+of[j].of, all.true+of[j].true
	}
	if all.of == 0 {
		return ""
	}
	return m.were(s) + " " + fmt.Sprintf(text, all.true, all.of)
}

// were names the voters of a side as the subject of a sentence, and says for how many they count if some repeat others.
func (m *Model) were(s *side) string {
	if s.n == 1 {
		return strconv.Quote(s.name) + " was"
	}
	first := map[int32]bool{}
	for _, j := range s.known {
		first[m.fit.First(j)] = true
	}
	text := fmt.Sprintf("the %d %s", s.n, s.where)
	if n := s.n - len(s.known) + len(first); n < s.n {
		text += fmt.Sprintf(", who repeat each other and count as %d,", n)
	}
	return text + " were"
}

// doubtful returns why confidence is lowered, for people, or "" if it hardly is.
func doubtful(d fit.Doubt) string {
	switch percent := math.Round; {
	case d.Size < 0.1:
		return ""
	case d.Against > d.Block:
		return fmt.Sprintf("agreement proves less here: voters with %.0f %% of the votes are mostly against the others", percent(100*d.Against))
	default:
		return fmt.Sprintf("agreement proves less here: %.0f %% of the decisions rest on voters who always agree with each other", percent(100*d.Block))
	}
}
