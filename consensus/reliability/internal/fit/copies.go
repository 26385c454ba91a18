package fit

import "slices"

const (
	copyShare = 0.85 // share of the decisions in which one of two voters dissents where copies vote alike
	copyLeast = 10   // least number of such decisions
	copyAmong = 512  // with more voters than this, copies are not looked for
)

// copies finds voters who copy each other: those who vote alike even when they dissent from the others. Agreeing with
// the votes of all others is no evidence. It returns the first voter of each voter's group, and nil if there are no copies.
// It runs before fitting, because once copies determine the consensus, nothing shows them any more.
func (b *Batch) copies() []int32 {
	n := b.Voters
	if n > copyAmong {
		return nil
	}
	same, all := b.dissents()
	first, found := make([]int32, n), false
	for j := range first {
		first[j] = int32(j)
		for g := range j {
			at := j*n + g
			if first[g] != first[j] && all[at] >= copyLeast && float64(same[at]) >= copyShare*float64(all[at]) {
				found = true
				join(first[:j+1], first[g], first[j])
			}
		}
	}
	if !found {
		return nil
	}
	return first
}

// join makes two groups one.
func join(first []int32, a, b int32) {
	for i, f := range first {
		if f == max(a, b) {
			first[i] = min(a, b)
		}
	}
}

// dissents counts, for each voter and each one before it, the decisions in which one of them dissents from the plurality,
// and those of them in which both vote alike.
func (b *Batch) dissents() (same, all []int32) {
	same, all = make([]int32, b.Voters*b.Voters), make([]int32, b.Voters*b.Voters)
	for _, v := range b.Votes {
		votes := make([]int, v.Field)
		for _, l := range v.Said {
			votes[l]++
		}
		lead := Plurality(votes)
		for i, x := range v.Said {
			for h, y := range v.Said[:i] {
				if lead < 0 || x == lead && y == lead {
					continue
				}
				at := int(v.Voter[i])*b.Voters + int(v.Voter[h])
				all[at]++
				if x == y {
					same[at]++
				}
			}
		}
	}
	return same, all
}

// Plurality returns the candidate with the most votes, or -1 if there is none or several have as many.
func Plurality(votes []int) int32 {
	lead, most := int32(-1), 0
	for c, n := range votes {
		switch {
		case n > most:
			lead, most = int32(c), n
		case n == most:
			lead = -1
		}
	}
	return lead
}

// oneOfEach returns the batch with one vote of each group of copies in a decision, as that of the group's first voter.
func (b *Batch) oneOfEach(first []int32) *Batch {
	if first == nil {
		return b
	}
	o := *b
	o.Votes = make([]Votes, len(b.Votes))
	for i := range b.Votes {
		v := &b.Votes[i]
		x := Votes{Field: v.Field, Known: v.Known}
		for h, j := range v.Voter {
			if !slices.Contains(x.Voter, first[j]) {
				x.Voter, x.Said, x.Stated = append(x.Voter, first[j]), append(x.Said, v.Said[h]), append(x.Stated, v.stated(h))
			}
		}
		o.Votes[i] = x
	}
	return &o
}
