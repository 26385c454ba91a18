package claims

import (
	"cmp"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Case is what speaks for and against a proposal.
type Case struct {
	Proposal Claim
	// For and Against are the findings behind it and behind what speaks against it,
	// directly or by way of votes and other findings; in log order. A finding may be in both.
	For, Against []Claim
	// Objections are the doubts and challenges about the proposal, in log order.
	Objections []Claim
	Votes      int // for it, of voters who have not changed their minds
	Opposed    int // votes against it
}

// Contested reports whether anything speaks against the proposal.
func (c Case) Contested() bool { return len(c.Against)+len(c.Objections)+c.Opposed > 0 }

// Cases returns the case of each proposal, in log order.
func (g *Graph) Cases() (all []Case) {
	for i := range g.all {
		if g.all[i].Kind != signals.KindProposal {
			continue
		}
		c := Case{Proposal: g.all[i], For: g.behind(i), Votes: len(g.standing(g.votes[i]))}
		against := g.standing(g.against[i])
		for _, n := range against {
			switch g.all[n].Kind {
			case signals.KindDoubt, signals.KindChallenge:
				c.Objections = append(c.Objections, g.all[n])
			case signals.KindVote:
				c.Opposed++
			}
		}
		c.Against = g.behind(against...)
		all = append(all, c)
	}
	return all
}

// standing returns those of some claims that have not fallen with what is taken back.
func (g *Graph) standing(all []int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return g.out[n] })
}

// behind returns the findings that claims are or rest on.
func (g *Graph) behind(from ...int) (all []Claim) {
	seen := map[int]bool{}
	for next := slices.Clone(from); len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[n] || g.out[n] {
			continue
		}
		seen[n] = true
		next = append(append(next, g.on[n]...), g.knew[n]...)
	}
	for _, n := range slices.Sorted(maps.Keys(seen)) {
		if g.all[n].isFinding() {
			all = append(all, g.all[n])
		}
	}
	slices.SortStableFunc(all, func(a, b Claim) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}
