package reliability

import (
	"math"
	"slices"
)

const (
	teamShare = 0.4 // of the decisions in which one of two stands apart, in which both say the same
	teamLeast = 100 // such decisions, for two to be called a team
)

// teams returns each voter's team, -1 for none, or nil if there are none. Two are a team when they say the same in
// more than teamShare of the decisions in which one stands apart from most others, copies counted once, by two
// standard errors: pairs of independent models of language do in a twentieth to a tenth, the closest in 0.40. With two
// choices all who stand apart say the same, so it is not asked.
//
// With known outcomes, when all of a team who vote say the same, they speak as one voter of its own, with a number after
// all others: how often that is right is learned beside how often each is when they differ. So sleepers, who vote well
// until they collude, are known by what they say together. Without outcomes nothing is made of teams: it would be
// known by their own consensus, and strong models that agree look like one (crux: 88.1 for 96.4).
func teams(b *batch, o Options, copies []int32) []int32 {
	n, least := b.Voters, int32(3)
	if b.Own {
		least = 4 // beside none of these
	}
	if n > o.MaxPairs {
		return nil
	}
	same, apart := b.oneOfEach(copies).standApart(least)
	groups := group(n, func(j, g int) bool { return together(same[j*n+g], apart[j*n+g]) })
	if groups == nil {
		return nil
	}
	return numbered(groups)
}

func together(same, apart int32) bool {
	n := float64(apart)
	return apart >= teamLeast && float64(same) >= teamShare*n+math.Sqrt(n)
}

// numbered numbers the groups of several from 0, all others -1.
func numbered(group []int32) []int32 {
	team, next := make([]int32, len(group)), int32(0)
	for j := range team {
		team[j] = -1
		if g := group[j]; int(g) != j {
			if team[g] < 0 {
				team[g] = next
				next++
			}
			team[j] = team[g]
		}
	}
	return team
}

const split = -1 // the place of a team's first, when its members differ

// teamsIn is how many teams there are.
func teamsIn(team []int32) int {
	n := int32(0)
	for _, g := range team {
		n = max(n, g+1)
	}
	return int(n)
}

// asTeams returns the batch with those who speak as one replaced by their team.
func (b *batch) asTeams(team []int32) *batch {
	if team == nil {
		return b
	}
	out := newBatch(b.Choices, b.Own)
	out.Stances = b.Stances
	for t := range b.size() {
		v := b.votes(t)
		as := asOne(team, v.voter, func(i int) (int32, bool) { return v.said[i], true })
		w := votes{field: v.field}
		for i, j := range as {
			if j >= 0 {
				w.voter, w.said, w.stated = append(w.voter, j), append(w.said, v.said[i]), append(w.stated, surest(team, v.voter, as, i, v.sure))
			}
		}
		out.add(w)
	}
	out.Known, out.asOne = b.Known, true
	out.Voters = len(team) + teamsIn(team)
	return &out
}

// surest returns how sure vote i is, or the surest of the team that it speaks for as another voter.
func surest(team, voter, as []int32, i int, sure func(int) float64) float64 {
	most := sure(i)
	if as[i] == voter[i] {
		return most
	}
	for h, j := range voter {
		if int(j) < len(team) && team[j] == team[voter[i]] {
			most = max(most, sure(h))
		}
	}
	return most
}

// asOne returns as whom each voter counts: itself, or, where all of a team who vote, two or more, say one and the
// same, the first as the team and the others as nobody, -1. said is false for what is not one candidate.
func asOne(team, voter []int32, said func(int) (int32, bool)) []int32 {
	as, first, alone := slices.Clone(voter), map[int32]int{}, map[int32]bool{}
	of := func(i int) int32 {
		if int(voter[i]) < len(team) {
			return team[voter[i]]
		}
		return -1
	}
	for i := range voter {
		g := of(i)
		f, met := first[g]
		if !met {
			first[g], alone[g] = i, true
			continue
		}
		alone[g] = false
		if f == split {
			continue
		}
		a, oka := said(f)
		if b, okb := said(i); !oka || !okb || a != b {
			first[g] = split
		}
	}
	for i := range voter {
		switch g := of(i); {
		case g < 0 || alone[g] || first[g] == split:
		case first[g] == i:
			as[i] = int32(len(team)) + g
		default:
			as[i] = -1
		}
	}
	return as
}
