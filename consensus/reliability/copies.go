package reliability

import "slices"

const (
	copyShare = 0.85 // share of the decisions in which one of the pair dissents where copies cast the same vote
	copyLeast = 20   // least number of such decisions

	groupShare = 0.6 // the same share for two voters of one group
	groupLeast = 8   // and the same number

	copyAgree = 0.995 // share of the decisions both vote in where copies by agreement alone cast the same vote
	copyBoth  = 30    // least number of such decisions
	copyUsual = 0.9   // their agreement with the other voters must be below this

	copyAmong = 512 // with more voters than this, copies are not looked for
)

// copies finds voters who copy each other: those who cast the same vote even when they dissent from the others, and
// those who always cast the same vote although they agree with the others much less often. Those of one source, by the
// first voter of each, are copies too. It returns the group of each voter, or nil if there are no copies. Within one of
// the given groups, to which the operator assigned the voters, weaker evidence suffices. copies runs before fitting, and
// copies share one vote from the start, since the fitted consensus no longer shows copies once they are numerous enough
// to determine it.
func copies(b *batch, groups []string, sources []int32) []int32 {
	n := b.Voters
	if n > copyAmong {
		return nil
	}
	if len(slices.Compact(slices.Sorted(slices.Values(groups)))) == 1 {
		groups = nil // a group of all sets nobody apart
	}
	same, dissent := b.dissents()
	equal, both := b.agreements()
	twins := func(at int) bool { return both[at] >= copyBoth && float64(equal[at]) >= copyAgree*float64(both[at]) }
	single := make([]bool, n) // nobody's twin; where all have twins, as in two camps, agreement reveals no copies
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
		at, least, share := j*n+g, int32(copyLeast), copyShare
		if groups != nil && groups[j] != "" && groups[j] == groups[g] {
			least, share = groupLeast, groupShare
		}
		return sources != nil && sources[j] == sources[g] || dissent[at] >= least && float64(same[at]) >= share*float64(dissent[at]) ||
			twins(at) && max(usual[j], usual[g]) < copyUsual
	})
}

// agreements counts, for each pair of voters, the decisions in which both vote, and those in which both vote alike.
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

// group puts items that are alike into one group, and so all that are connected by such pairs (single linkage). It
// returns the first item of each item's group, or nil if no two are alike.
func group(n int, alike func(j, g int) bool) []int32 {
	groups, found := make([]int32, n), false
	for j := range groups {
		groups[j] = int32(j)
		for g := range j {
			if from, to := groups[g], groups[j]; from != to && alike(j, g) {
				found = true
				for i := range j + 1 {
					if groups[i] == max(from, to) {
						groups[i] = min(from, to)
					}
				}
			}
		}
	}
	if !found {
		return nil
	}
	return groups
}

// oneOfEach returns the batch with at most one vote of each group in a decision, as that of the group's first voter.
func (b *batch) oneOfEach(group []int32) *batch {
	if group == nil {
		return b
	}
	return b.only(b.Voters, func(v votes, i int) int32 {
		mine := group[v.voter[i]]
		if slices.ContainsFunc(v.voter[:i], func(j int32) bool { return group[j] == mine }) {
			return -1
		}
		return mine
	})
}

// dissents counts, for each pair of voters, the decisions in which at least one of them dissents from the plurality of
// the other voters, and among those the ones in which both cast the same vote.
func (b *batch) dissents() (same, dissent []int32) {
	n := b.Voters
	same, dissent = make([]int32, n*n), make([]int32, n*n)
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
				compare(v, i, h, count, same, dissent, n)
			}
		}
	}
	return same, dissent
}

// compare counts one decision for the voters of votes i and h. The plurality is the choice that most of the other
// voters are for. There is none if it has fewer than two votes, or if another choice has as many.
func compare(v votes, i, h int, count, same, dissent []int32, n int) {
	a, b := v.said[i], v.said[h]
	count[a]--
	count[b]--
	most, lead := int32(0), int32(-1)
	for l, x := range count {
		if x > most {
			most, lead = x, int32(l)
		} else if x == most {
			lead = -1 // a tie
		}
	}
	count[a]++
	count[b]++
	if most < 2 || lead < 0 || a == lead && b == lead {
		return
	}
	at := max(int(v.voter[i]), int(v.voter[h]))*n + min(int(v.voter[i]), int(v.voter[h]))
	dissent[at]++
	if a == b {
		same[at]++
	}
}

// share divides one vote evenly between the copies in each decision.
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

// likeFirst gives copies the rates, and the calibration, of the first of them, who stands for all in what was learned
// from.
func (m *parameters) likeFirst() {
	c := m.cols()
	for j, g := range m.Shared {
		if m.Stated != nil {
			m.Stated.Slope[j], m.Stated.Usual[j], m.Stated.Vary[j] = m.Stated.Slope[g], m.Stated.Usual[g], m.Stated.Vary[g]
		}
		m.Base[j] = m.Base[g]
		copy(m.Rate[j*c:][:c], m.Rate[int(g)*c:][:c])
		if m.Wrong != nil {
			copy(m.Wrong[j*c*c:][:c*c], m.Wrong[int(g)*c*c:][:c*c])
		}
	}
	m.tables()
}
