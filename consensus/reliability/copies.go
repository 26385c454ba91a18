package reliability

const (
	copyShare = 0.95 // of the decisions in which one of two stands apart, in which both say the same
	copyLeast = 20   // such decisions, for two to be called copies
)

// copies returns which voters say the same even where they stand apart from everybody else, as a group for
// each voter, nil if there are none. Consensus cannot show this once copies are many enough to make it, so it
// is asked before fitting, and they share one vote from the start.
func (e *em) copies() []int32 {
	n := e.b.Voters
	if n > e.o.MaxPairs {
		return nil
	}
	same, apart := make([]int32, n*n), make([]int32, n*n)
	count := make([]int32, e.b.Choices)
	for t := range e.b.size() {
		v := e.b.votes(t)
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
	group, found := make([]int32, n), false
	for j := range group {
		group[j] = int32(j)
		for g := range j {
			at := j*n + g
			if apart[at] >= copyLeast && float64(same[at]) >= copyShare*float64(apart[at]) {
				group[j], found = group[g], true
				break
			}
		}
	}
	if !found {
		return nil
	}
	return group
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
