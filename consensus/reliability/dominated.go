package reliability

const (
	groupAlike = 0.8  // ratio of actual to expected differences in a group below which its voters err together
	groupPrior = 10.0 // prior of the expected differences: until there are votes, the operator's word counts
	groupTold  = 10   // known outcomes that say more about the voters than agreement does
)

// dominated reports whether half of the voters or more belong to one group that errs together; copies count as one. In
// that case, agreement shows what that group thinks, not who is right.
func (l *lesson) dominated(one *batch, copies []int32) bool {
	members, size, voters := map[string]int{}, map[string]int{}, 0
	for j, group := range l.groups {
		members[group]++
		if copies == nil || copies[j] == int32(j) {
			size[group]++
			voters++
		}
	}
	delete(size, "")
	for group, n := range size {
		if members[group] > 1 && n < voters && 2*n >= voters && l.alike(one, group) {
			return true
		}
	}
	return false
}

// alike reports whether voters of the group differ from each other clearly less often than voters who share no group.
func (l *lesson) alike(b *batch, group string) bool {
	var inside, across struct{ both, differ float64 }
	for t := range b.size() {
		v := b.votes(t)
		for i, j := range v.voter {
			for h, g := range v.voter[:i] {
				pair := &across
				switch mine, other := l.groups[j], l.groups[g]; {
				case mine == group && other == group:
					pair = &inside
				case mine == other && mine != "":
					continue
				}
				pair.both++
				if v.said[i] != v.said[h] {
					pair.differ++
				}
			}
		}
	}
	expected := inside.both * across.differ / max(1, across.both)
	return inside.differ < groupAlike*(expected+groupPrior)
}
