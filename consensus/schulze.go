package consensus

import "slices"

// Schulze orders the candidates by beatpaths (Schulze, 2011): a path from one candidate to another is as
// strong as its weakest margin, and of two candidates the one with the stronger path to the other ranks
// above it. The first tier holds the candidates that no one ranks above, each further tier those that
// none of the remaining ranks above. It takes time cubic in the candidates.
func (p *Profile) Schulze() Ranking {
	path := p.paths()
	n := len(p.candidates)
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	var r Ranking
	for len(left) > 0 {
		var tied []string
		rest := left[:0:0]
		for _, a := range left {
			if slices.ContainsFunc(left, func(b int) bool { return path[b*n+a] > path[a*n+b] }) {
				rest = append(rest, a)
			} else {
				tied = append(tied, p.candidates[a])
			}
		}
		slices.Sort(tied)
		r, left = append(r, tied), rest
	}
	return r
}

// paths returns the strength of the strongest path between each pair of candidates, by a widest-path
// variant of the algorithm of Floyd and Warshall (1962).
func (p *Profile) paths() []int32 {
	n := len(p.candidates)
	path := make([]int32, n*n)
	for a := range n {
		for b := range n {
			path[a*n+b] = p.margin(a, b)
		}
	}
	for via := range n {
		for a := range n {
			for b := range n {
				if a != b && a != via && b != via {
					path[a*n+b] = max(path[a*n+b], min(path[a*n+via], path[via*n+b]))
				}
			}
		}
	}
	return path
}
