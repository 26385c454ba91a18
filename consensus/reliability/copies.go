package reliability

import "slices"

const (
	copyShare = 0.95 // of the decisions in which one of two stands apart, in which both say the same
	copyLeast = 20   // such decisions, for two to be called copies

	copyAgree = 0.995 // of the decisions that both vote in, in which both say the same
	copyBoth  = 30    // such decisions, for two to be called copies by agreement alone
	copyAmong = 512   // voters, above which nobody looks for copies
	copyUsual = 0.9   // less than this each agrees with the others then
)

// copies returns which voters say the same even where they stand apart from everybody else, or always and by far more
// often than the others do, as a group for each voter, nil if there are none. Consensus cannot show this once copies
// are many enough to make it, so it is asked before fitting, and they share one vote from the start.
func copies(b *batch) []int32 {
	n := b.Voters
	if n > copyAmong {
		return nil
	}
	same, apart := b.standApart()
	equal, both := b.agreements()
	twins := func(at int) bool { return both[at] >= copyBoth && float64(equal[at]) >= copyAgree*float64(both[at]) }
	single := make([]bool, n) // who is nobody's twin: where two camps say the same each, nothing tells copies
	for j := range n {
		single[j] = true
		for g := range n {
			single[j] = single[j] && (g == j || !twins(max(j, g)*n+min(j, g)))
		}
	}
	usual := make([]float64, n)
	for j := range n {
		agree, all := 0.0, 0.0
		for g := range n {
			if at := max(j, g)*n + min(j, g); g != j && single[g] {
				agree, all = agree+float64(equal[at]), all+float64(both[at])
			}
		}
		usual[j] = 1
		if all > 0 {
			usual[j] = agree / all
		}
	}
	return group(n, func(j, g int) bool {
		at := j*n + g
		return apart[at] >= copyLeast && float64(same[at]) >= copyShare*float64(apart[at]) ||
			twins(at) && max(usual[j], usual[g]) < copyUsual
	})
}

// agreements counts, for each pair of voters, the decisions in which both vote, and those in which both say the same.
func (b *batch) agreements() (equal, both []int32) {
	n := b.Voters
	equal, both = make([]int32, n*n), make([]int32, n*n)
	for t := range b.size() {
		v := b.votes(t)
		for i, j := range v.voter {
			for h, g := range v.voter[:i] {
				at := max(int(j), int(g))*n + min(int(j), int(g))
				both[at]++
				if v.said[i] == v.said[h] {
					equal[at]++
				}
			}
		}
	}
	return equal, both
}

// group gives each of n the group of the first before it that is alike, nil if no two are.
func group(n int, alike func(j, g int) bool) []int32 {
	groups, found := make([]int32, n), false
	for j := range groups {
		groups[j] = int32(j)
		for g := range j {
			if alike(j, g) {
				groups[j], found = groups[g], true
				break
			}
		}
	}
	if !found {
		return nil
	}
	return groups
}

// oneOfEach returns the batch without those who are copies of another.
func (b *batch) oneOfEach(group []int32) *batch {
	if group == nil {
		return b
	}
	to := slices.Clone(group)
	for j, g := range group {
		if int(g) != j {
			to[j] = -1
		}
	}
	return b.only(to, b.Voters)
}

// standApart counts, for each pair of voters, the decisions in which one of them says another thing than most
// others, and those in which both say the same then.
func (b *batch) standApart() (same, apart []int32) {
	n := b.Voters
	same, apart = make([]int32, n*n), make([]int32, n*n)
	all := make([]int32, b.widest())
	for t := range b.size() {
		v := b.votes(t)
		count := all[:v.field]
		clear(count)
		for _, l := range v.said {
			count[l]++
		}
		for i := range v.voter {
			for h := range i {
				compare(v, i, h, count, same, apart, n)
			}
		}
	}
	return same, apart
}

// compare counts whether two voters stand apart from what most others say, and whether together.
func compare(v votes, i, h int, count, same, apart []int32, n int) {
	a, b := v.said[i], v.said[h]
	count[a]--
	count[b]--
	most, lead := int32(0), int32(-1)
	for l, x := range count {
		if x > most {
			most, lead = x, int32(l)
		} else if x == most {
			lead = -1 // most others say nothing in particular
		}
	}
	count[a]++
	count[b]++
	if most < 2 || lead < 0 || a == lead && b == lead {
		return
	}
	at := max(int(v.voter[i]), int(v.voter[h]))*n + min(int(v.voter[i]), int(v.voter[h]))
	apart[at]++
	if a == b {
		same[at]++
	}
}

// share gives the copies in one decision one vote together.
func (e *em) share(group []int32) {
	e.f = fill(len(e.b.Voter), 1)
	for t := range e.b.size() {
		v := e.b.votes(t)
		f := e.f[e.b.Start[t]:e.b.Start[t+1]]
		for i, j := range v.voter {
			n := 0.0
			for _, g := range v.voter {
				if group[g] == group[j] {
					n++
				}
			}
			f[i] = 1 / n
		}
	}
}
