package reliability

import "github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"

// groups are the stated groups of the voters of a batch.
type groups fit.Batch

const (
	groupAlike = 0.8  // part of the usual differences up to which voters of a group err together
	groupPrior = 10.0 // votes of a prior by which they do: until there are votes, the program's word counts
)

// dominated reports whether half of the voters who have votes, or more, but not all are of one group that errs together:
// then agreement shows what that group thinks.
func (b *groups) dominated() bool {
	size, all, voted := map[string]int{}, 0, map[int32]bool{}
	for _, v := range b.Votes {
		for _, j := range v.Voter {
			if !voted[j] {
				voted[j] = true
				all++
				size[b.Group[j]]++
			}
		}
	}
	for group, n := range size {
		if group != "" && n > 1 && n < all && 2*n >= all {
			return b.alike(group)
		}
	}
	return false
}

// alike reports whether voters of the group differ from each other clearly less often than others do from those they
// share no group with. Of the others, the one who differs least counts: by the mean, a single harmful one would make any
// group look alike.
func (b *groups) alike(group string) bool {
	var inside, across differing
	outside := make([]differing, b.Voters)
	for _, v := range b.Votes {
		for i, j := range v.Voter {
			for h, g := range v.Voter[:i] {
				differ := v.Said[i] != v.Said[h]
				switch mine, other := b.Group[j], b.Group[g]; {
				case mine == group && other == group:
					inside.add(differ)
				case mine != other || mine == "":
					across.add(differ)
					outside[j].add(differ)
					outside[g].add(differ)
				}
			}
		}
	}
	least := across.share(1)
	for j, d := range outside {
		if b.Group[j] != group {
			least = min(least, d.share(across.share(1)))
		}
	}
	return inside.differ < groupAlike*(inside.both*least+groupPrior)
}

// differing counts the decisions in which two voters vote, and those in which they differ.
type differing struct{ both, differ float64 }

func (d *differing) add(differ bool) {
	d.both++
	if differ {
		d.differ++
	}
}

// share returns the share of decisions in which they differ, shrunk to the given one.
func (d *differing) share(to float64) float64 {
	return (d.differ + groupPrior*to) / (d.both + groupPrior)
}
