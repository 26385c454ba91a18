package reliability

import (
	"cmp"
	"encoding/binary"
	"slices"
)

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
	kept = append(kept, l.sample(only, max(onlyLeast, len(kept)))...)
	if len(kept) == b.size() {
		return b
	}
	slices.Sort(kept)
	out := newBatch(b.Choices, b.Own)
	out.Stances = b.Stances
	for i, t := range kept {
		out.add(b.votes(t))
		out.Known[i] = b.Known[t]
	}
	out.Voters = b.Voters
	return &out
}

// sample returns n of the given decisions, stratified by their votes and outcomes so that the order of the decisions
// does not matter.
func (l *lesson) sample(from []int, n int) []int {
	if len(from) <= n {
		return from
	}
	keys := make(map[int]string, len(from))
	for _, t := range from {
		keys[t] = l.key(t)
	}
	slices.SortFunc(from, func(s, t int) int { return cmp.Or(cmp.Compare(keys[s], keys[t]), cmp.Compare(s, t)) })
	some := make([]int, n)
	for i := range some {
		some[i] = from[(2*i+1)*len(from)/(2*n)]
	}
	return some
}

// key returns a string that is equal for decisions with the same votes and outcome, whatever their stated confidence.
func (l *lesson) key(t int) string {
	v := l.batch.votes(t)
	key := binary.AppendVarint(nil, int64(l.batch.Known[t]))
	for i, j := range v.voter {
		key = binary.AppendVarint(append(key, l.names[j]...), int64(v.said[i]))
	}
	return string(key)
}
