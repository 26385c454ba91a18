package reliability

import "github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"

// groups are the groups that were stated for the voters of a batch, by voter; "" is none.
type groups struct {
	*fit.Batch
	of []string
}

const (
	groupAlike = 0.8  // part of the usual differences up to which voters of a group err together
	groupPrior = 10.0 // votes of a prior by which they do: until there are votes, the program's word counts
)

// dominated reports whether half of the voters who have votes, or more, but not all are of one group that errs together:
// then agreement shows what that group thinks.
func (g *groups) dominated() bool {
	size, all := map[string]int{}, 0
	for j, n := range g.Cast() {
		if n > 0 {
			all++
			size[g.of[j]]++
		}
	}
	for group, n := range size {
		if group != "" && n > 1 && n < all && 2*n >= all && g.alike(group) {
			return true
		}
	}
	return false
}

// alike reports whether voters of the group differ from each other clearly less often than others do from those they
// share no group with. Of the others, the one who differs least counts: by the mean, a single harmful one would make any
// group look alike.
func (g *groups) alike(group string) bool {
	var inside, across record
	outside := make([]record, g.Voters)
	for _, v := range g.Votes {
		for i, j := range v.Voter {
			for h, k := range v.Voter[:i] {
				switch mine, other := g.of[j], g.of[k]; {
				case mine == group && other == group:
					inside.add(v.Said[i], v.Said[h])
				case mine != other || mine == "":
					across.add(v.Said[i], v.Said[h])
					outside[j].add(v.Said[i], v.Said[h])
					outside[k].add(v.Said[i], v.Said[h])
				}
			}
		}
	}
	most := across.share(0)
	for j, r := range outside {
		if g.of[j] != group {
			most = max(most, r.share(across.share(0)))
		}
	}
	return float64(inside.of-inside.true) < groupAlike*(float64(inside.of)*(1-most)+groupPrior)
}

// share returns the share in which something was true, shrunk to the given one.
func (r *record) share(to float64) float64 {
	return (float64(r.true) + groupPrior*to) / (float64(r.of) + groupPrior)
}
