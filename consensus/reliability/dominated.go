package reliability

const (
	groupAlike = 0.8  // ratio of actual to expected differences in a group below which its voters err together
	groupPrior = 10.0 // prior of the expected differences: until there are votes, the operator's word counts
	groupTold  = 10   // known outcomes that say more about the voters than agreement does
)

// dominated reports whether half of the voters who have votes or more belong to one group that errs together; copies
// count as one. In that case, agreement shows what that group thinks, not who is right. A group errs together if its
// voters differ less than others do, unless the votes show that it has no source: good voters seldom differ, either.
func (l *lesson) dominated(b *batch, copies []int32, sources *explained) bool {
	if l.groups == nil {
		return false
	}
	type class struct {
		group string
		of    int32
	}
	voted, voters := map[int32]bool{}, map[int32]bool{} // voters, and of copies the first
	members, size, counted := map[string]int{}, map[string]int{}, map[class]bool{}
	for _, j := range b.Voter {
		if voted[j] {
			continue
		}
		voted[j] = true
		c := class{l.groups[j], j}
		if copies != nil {
			c.of = copies[j]
		}
		voters[c.of] = true
		members[c.group]++
		if !counted[c] {
			counted[c] = true
			size[c.group]++
		}
	}
	delete(size, "")
	for group, n := range size {
		if members[group] > 1 && n < len(voters) && 2*n >= len(voters) && l.alike(b, group) &&
			!sources.apart(func(j int32) bool { return l.groups[j] == group }) {
			return true
		}
	}
	return false
}

// alike reports whether voters of the group differ from each other clearly less often than voters who share no group
// do. Of those outside it counts the one who differs least: by the mean, a single harmful one would make any group look
// alike.
func (l *lesson) alike(b *batch, group string) bool {
	var inside, across differing
	outside := make([]differing, b.Voters) // how each voter outside differs from those it shares no group with
	for t := range b.size() {
		v := b.votes(t)
		for i, j := range v.voter {
			for h, g := range v.voter[:i] {
				differ := v.said[i] != v.said[h]
				switch mine, other := l.groups[j], l.groups[g]; {
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
		if l.groups[j] != group {
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
