package reliability

import "slices"

// Groups returns which voters err together, in the form that [consensus.Options.Groups] has for [consensus.Grouped]:
// each voter in a group is mapped to the group's name, which is the first of its members' names. Starting with the
// closest, groups are merged as long as the mean correlation between their voters is at least least, in (0,1) (average
// linkage: Sokal and Michener, 1958); 0.1 has worked well for models and crowds alike, and 0.9 returns those who count as
// one, since they copy each other or follow a source. Voters who do not err together with anybody that much are not in
// the map, nor are those without pairwise correlations (see [Options.MaxPairs]). With as many voters as that, Groups
// takes 0.2 s.
func (m *Model) Groups(least float64) map[string]string {
	names := m.Voters()
	names = slices.DeleteFunc(names, func(name string) bool { return !m.params.Corr.paired(m.voters[name]) })
	c := newClusters(m, names)
	for {
		i, j, mean := c.closest()
		if mean < least || i == j {
			break
		}
		c.join(i, j)
	}
	groups := map[string]string{}
	for i, members := range c.members {
		for _, name := range members {
			if len(members) > 1 {
				groups[name] = names[i]
			}
		}
	}
	return groups
}

// clusters holds the groups found so far, each at the index of its first voter.
type clusters struct {
	members [][]string  // nil once merged into an earlier group
	mean    [][]float64 // correlation between groups
}

func newClusters(m *Model, names []string) *clusters {
	c := new(clusters)
	for _, a := range names {
		row := make([]float64, len(names))
		for j, b := range names {
			row[j] = m.Correlation(a, b)
		}
		c.members, c.mean = append(c.members, []string{a}), append(c.mean, row)
	}
	return c
}

// closest returns the two groups with the greatest mean correlation; ties go to the first pair.
func (c *clusters) closest() (a, b int, mean float64) {
	for i, row := range c.mean {
		for j := range i {
			if c.members[i] != nil && c.members[j] != nil && row[j] > mean {
				a, b, mean = j, i, row[j]
			}
		}
	}
	return a, b, mean
}

// join merges b into a.
func (c *clusters) join(a, b int) {
	n, k := float64(len(c.members[a])), float64(len(c.members[b]))
	for i := range c.mean {
		x := (n*c.mean[a][i] + k*c.mean[b][i]) / (n + k)
		c.mean[a][i], c.mean[i][a] = x, x
	}
	c.members[a], c.members[b] = append(c.members[a], c.members[b]...), nil
}
