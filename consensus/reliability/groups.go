package reliability

import "slices"

// Groups returns who errs together, as [consensus.Options.Groups] takes it for [consensus.Grouped]: the group of each
// voter in one, by the first of its members' names. Groups join, the closest first, as long as the mean correlation
// between their voters is at least this, in (0,1) (average linkage: Sokal and Michener, 1958); 0.1 has done well on
// models and crowds alike. Voters who err with nobody so much are in none, nor are those without correlations of their
// own, see [Options.MaxPairs]. With that many it costs two tenths of a second.
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

// clusters are groups under way, each in the place of its first voter.
type clusters struct {
	members [][]string  // nil where it has joined an earlier one
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

// closest returns the two with the greatest mean correlation, the first of those that tie.
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

// join makes b part of a.
func (c *clusters) join(a, b int) {
	n, k := float64(len(c.members[a])), float64(len(c.members[b]))
	for i := range c.mean {
		x := (n*c.mean[a][i] + k*c.mean[b][i]) / (n + k)
		c.mean[a][i], c.mean[i][a] = x, x
	}
	c.members[a], c.members[b] = append(c.members[a], c.members[b]...), nil
}
