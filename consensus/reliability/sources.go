package reliability

import "slices"

const (
	followAmong = 24  // most voters, since the search for sources takes time that grows with the square of their number
	followVotes = 20  // least number of votes of such a voter
	followMost  = 300 // most decisions that are looked at
	followFew   = 6   // answers in a decision, on average, above which they are fewer, since each tells more
	followLeast = 100 // but never fewer than these
	followRest  = 3   // fewest voters that must remain, those of one source counted as one

	followFirst  = 5.0 // what the first source must add to the score
	followMore   = 1.0 // and each further one
	followPrior  = 5.0 // mistakes shared as usual that are added to those of one source
	followExcess = 0.5 // least excess of the mistakes that voters of one source share
)

// explained is a batch as sources explain it.
type explained struct {
	*following
	voters []int32 // those who vote often enough
}

// explain looks for sources. It returns nil if there are too few voters, or too many.
func explain(b *batch) *explained {
	all := make([]int, b.size())
	for t := range all {
		all[t] = t
	}
	b = b.few()
	answers := 0
	for _, k := range b.Field {
		answers += int(k)
	}
	b = b.some(sample(all, max(followLeast, min(followMost, followMost*followFew*b.size()/max(1, answers)))))
	voters := b.regulars(followVotes)
	if n := len(voters); n <= followRest || n > followAmong {
		return nil
	}
	index := slices.Repeat([]int32{-1}, b.Voters)
	for i, j := range voters {
		index[j] = int32(i)
	}
	of := newCoinFit(b.only(len(voters), func(v votes, i int) int32 { return index[v.voter[i]] }))
	of.others = min(followWrong, float64(of.b.mostNamed()-1))
	return &explained{sources(of), voters}
}

// together returns the first voter of each voter's group, of all the batch's voters, or nil if nobody follows a source.
func (e *explained) together(voters int) []int32 {
	if e == nil || e.groups == nil {
		return nil
	}
	alone := len(e.alone())
	if alone+len(e.groups) < followRest || e.excess() < followExcess {
		return nil
	}
	if e.of.others <= 1 && 2*alone < len(e.voters) {
		return nil // of two answers, many may err together because a decision misleads them
	}
	first := make([]int32, voters)
	for j := range first {
		first[j] = int32(j)
	}
	for _, g := range e.groups {
		for _, i := range g {
			first[e.voters[i]] = e.voters[g[0]]
		}
	}
	return first
}

// apart reports whether the votes speak against a source of the given voters. With two answers they hardly can.
func (e *explained) apart(is func(j int32) bool) bool {
	if e == nil || e.of.others <= 1 {
		return false
	}
	var node []int32
	for i, j := range e.voters {
		if is(j) {
			node = append(node, int32(i))
		}
	}
	groups := e.with(node)
	return groups != nil && len(node) > 1 && fitted(e.of, groups).score < e.score
}

// few returns the batch with its shared choices numbered anew in each decision: those that somebody names, and as many
// others as there are in any decision. With many choices, most are named by nobody.
func (b *batch) few() *batch {
	if b.Own {
		return b
	}
	out := *b
	out.Said, out.Known, out.Field = slices.Clone(b.Said), slices.Clone(b.Known), slices.Clone(b.Field)
	out.Choices = min(b.Choices, b.mostNamed()+1)
	for t := range b.size() {
		said := b.votes(t).said
		named := slices.Compact(slices.Sorted(slices.Values(said)))
		for i, l := range said {
			out.Said[int(b.Start[t])+i] = int32(slices.Index(named, l))
		}
		if known := b.Known[t]; known >= 0 {
			at := slices.Index(named, known)
			if at < 0 {
				at = len(named)
			}
			out.Known[t] = int32(at)
		}
		out.Field[t] = int32(out.Choices)
	}
	return &out
}

// regulars returns the voters with at least so many votes.
func (b *batch) regulars(least int) (voters []int32) {
	n := make([]int, b.Voters)
	for _, j := range b.Voter {
		n[j]++
		if n[j] == least {
			voters = append(voters, j)
		}
	}
	slices.Sort(voters)
	return voters
}

// mostNamed returns the number of answers that were named in the decision with most of them.
func (b *batch) mostNamed() (most int) {
	n := newNamed(b.widest())
	for t := range b.size() {
		n.only(b.votes(t).said)
		most = max(most, n.n)
	}
	return most
}

// sources adds one source after the other, as long as they explain the votes better. Once there is one, others need less
// evidence: if only some of several groups were counted as one voter, those left would prevail.
func sources(of *coinFit) *following {
	f, least := fitted(of, nil), followFirst
	nodes := of.b.tree(of.times)
	for {
		more := f.more(nodes)
		if more == nil || more.score < f.score+least {
			return f
		}
		f, least = more, followMore
	}
}

// more returns the best fit with one more source, or nil if there is no group for it.
func (f *following) more(nodes [][]int32) (most *following) {
	for _, node := range nodes {
		groups := f.with(node)
		if groups == nil {
			continue
		}
		if g := fitted(f.of, groups); most == nil || g.score > most.score {
			most = g
		}
	}
	return most
}

// tree returns the nodes of the voters' tree by average linkage of how often they agree, without its root and leaves.
func (b *batch) tree(times []float64) (nodes [][]int32) {
	equal, both := make([]float64, b.Voters*b.Voters), make([]float64, b.Voters*b.Voters)
	for t, n := range times {
		v := b.votes(t)
		for i, j := range v.voter {
			for h, g := range v.voter {
				at := int(j)*b.Voters + int(g)
				both[at] += n
				if v.said[i] == v.said[h] {
					equal[at] += n
				}
			}
		}
	}
	agree := func(x, y []int32) float64 {
		same, all := 1.0, 2.0
		for _, j := range x {
			for _, g := range y {
				same, all = same+equal[int(j)*b.Voters+int(g)], all+both[int(j)*b.Voters+int(g)]
			}
		}
		return same / all
	}
	var tops [][]int32
	for j := range int32(b.Voters) {
		tops = append(tops, []int32{j})
	}
	for len(tops) > 2 {
		x, y, most := 0, 0, -1.0
		for i := range tops {
			for h := range i {
				if a := agree(tops[i], tops[h]); a > most {
					x, y, most = h, i, a
				}
			}
		}
		tops[x] = slices.Concat(tops[x], tops[y])
		tops = slices.Delete(tops, y, y+1)
		nodes = append(nodes, tops[x])
	}
	return nodes
}

// with returns the groups with another one, which may contain one that there is, but not two of them, nor a part of one.
// Otherwise with returns nil.
func (f *following) with(node []int32) [][]int32 {
	var groups [][]int32
	for _, g := range f.groups {
		in := 0
		for _, j := range g {
			if slices.Contains(node, j) {
				in++
			}
		}
		switch {
		case in == 0:
			groups = append(groups, g)
		case in < len(g) || in == len(node):
			return nil
		}
	}
	if len(groups) < len(f.groups)-1 {
		return nil
	}
	return append(groups, node)
}

// excess returns how much more often a voter's mistake is shared by those of its group than by others, as a share of
// what is possible. All voters may share a mistake because a decision is difficult or misleading.
func (f *following) excess() float64 {
	group := slices.Repeat([]int{-1}, len(f.right))
	for g, of := range f.groups {
		for _, j := range of {
			group[j] = g
		}
	}
	var inside, outside tally
	for t, times := range f.of.times {
		v := f.of.b.votes(t)
		for i, j := range v.voter {
			if group[j] < 0 {
				continue
			}
			p := times * (1 - f.post[t*f.of.b.Choices+int(v.said[i])])
			for h, g := range v.voter {
				of := &outside
				if group[g] == group[j] {
					of = &inside
				}
				if h == i {
					continue
				}
				of.all += p
				if v.said[h] == v.said[i] {
					of.is += p
				}
			}
		}
	}
	usual := outside.rate(0, 1e-9)
	return (inside.rate(followPrior*usual, followPrior) - usual) / (1 - usual)
}
