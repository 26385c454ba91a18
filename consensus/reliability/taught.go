package reliability

import "slices"

// onlyLeast is the number of decisions on a single proposal that are learned from in any case.
const onlyLeast = 20

// taught returns the decisions to learn from. It leaves out decisions with a single vote whose outcome is not known,
// because they say nothing about the voter. A decision in which only one proposal has votes may have been obvious, and
// says little about how often voters are right when they disagree. Of these, taught therefore returns at most as many
// as there are others, or onlyLeast if that is more.
func (l *lesson) taught() *batch {
	b := &l.batch
	var kept, only []int
	for t, known := range b.Known {
		switch {
		case known < 0 && b.Start[t+1]-b.Start[t] < 2:
		case b.Own && b.Field[t] == 2:
			only = append(only, t)
		default:
			kept = append(kept, t)
		}
	}
	kept = append(kept, sample(only, max(onlyLeast, len(kept)))...)
	if len(kept) == b.size() {
		return b
	}
	slices.Sort(kept)
	return b.some(kept)
}

// sample returns n of the given sorted decisions, stratified by their votes and outcomes: it takes them at equal
// distances, and equal decisions are next to each other.
func sample(from []int, n int) []int {
	if len(from) <= n {
		return from
	}
	some := make([]int, n)
	for i := range some {
		some[i] = from[(2*i+1)*len(from)/(2*n)]
	}
	return some
}
