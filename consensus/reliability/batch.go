package reliability

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
)

// batch holds many decisions in flat slices. The votes on decision t are Voter[Start[t]:Start[t+1]] and the same range
// of Said; Known[t] is its outcome, or -1. Its Field[t] candidates are numbered from 0. They are the Choices, which
// mean the same in every decision, unless Own is set: then a number identifies a candidate only within its decision.
type batch struct {
	Choices int       `json:"choices"`
	Voters  int       `json:"voters"`
	Own     bool      `json:"own,omitempty"`
	Stances bool      `json:"stances,omitempty"`
	Start   []int32   `json:"start"`
	Voter   []int32   `json:"voter"`
	Said    []int32   `json:"said"`
	Stated  []float64 `json:"stated,omitempty"` // stated confidence of each vote; nil: 1
	Known   []int32   `json:"known"`
	Field   []int32   `json:"field"`

	Answers int `json:"-"` // number of different answers ever named; 0: not counted
}

func newBatch(choices int, own bool) batch {
	return batch{Choices: choices, Own: own, Start: []int32{0}}
}

// size returns the number of decisions.
func (b *batch) size() int { return len(b.Known) }

// density returns the number of votes per decision.
func (b *batch) density() float64 { return float64(len(b.Voter)) / float64(max(1, b.size())) }

// perVoter returns the number of votes per voter who has votes.
func (b *batch) perVoter() float64 { return float64(len(b.Voter)) / float64(max(1, b.voting())) }

// votes returns the votes on decision t.
func (b *batch) votes(t int) votes {
	from, to := b.Start[t], b.Start[t+1]
	v := votes{voter: b.Voter[from:to], said: b.Said[from:to], field: b.Field[t]}
	if b.Stated != nil {
		v.stated = b.Stated[from:to]
	}
	return v
}

// add appends a decision whose outcome is not known.
func (b *batch) add(v votes) {
	if b.Stated == nil && slices.ContainsFunc(v.stated, func(x float64) bool { return x != 1 }) {
		b.Stated = fill(len(b.Voter), 1)
	}
	if b.Stated != nil {
		for i := range v.voter {
			b.Stated = append(b.Stated, v.sure(i))
		}
	}
	b.Voter = append(b.Voter, v.voter...)
	b.Said = append(b.Said, v.said...)
	b.Start = append(b.Start, int32(len(b.Voter)))
	b.Known = append(b.Known, -1)
	b.Field = append(b.Field, v.field)
	for _, j := range v.voter {
		b.Voters = max(b.Voters, int(j)+1)
	}
}

// drop removes the oldest n decisions.
func (b *batch) drop(n int) {
	at := b.Start[n]
	b.Voter = append([]int32(nil), b.Voter[at:]...)
	b.Said = append([]int32(nil), b.Said[at:]...)
	if b.Stated != nil {
		b.Stated = append([]float64(nil), b.Stated[at:]...)
	}
	b.Known = append([]int32(nil), b.Known[n:]...)
	b.Field = append([]int32(nil), b.Field[n:]...)
	start := make([]int32, 0, len(b.Start)-n)
	for _, x := range b.Start[n:] {
		start = append(start, x-at)
	}
	b.Start = start
}

// only returns the batch with vote i on each decision v as that of voter to(v, i), who is below voters, or without it
// if that is -1.
func (b *batch) only(voters int, to func(v votes, i int) int32) *batch {
	out := newBatch(b.Choices, b.Own)
	for t := range b.size() {
		v := b.votes(t)
		w := votes{field: v.field}
		for i := range v.voter {
			if j := to(v, i); j >= 0 {
				w.voter, w.said, w.stated = append(w.voter, j), append(w.said, v.said[i]), append(w.stated, v.sure(i))
			}
		}
		out.add(w)
	}
	out.Voters, out.Known, out.Stances, out.Answers = voters, slices.Clone(b.Known), b.Stances, b.Answers
	return &out
}

// sorted returns the decisions in an order that does not depend on how they came.
func (b *batch) sorted() *batch {
	order := make([]int, b.size())
	for t := range order {
		order[t] = t
	}
	slices.SortFunc(order, func(s, t int) int {
		x, y := b.votes(s), b.votes(t)
		return cmp.Or(
			slices.Compare(x.voter, y.voter), slices.Compare(x.said, y.said), cmp.Compare(x.field, y.field),
			cmp.Compare(b.Known[s], b.Known[t]), slices.Compare(x.stated, y.stated),
		)
	})
	return b.some(order)
}

// some returns the given decisions, in that order.
func (b *batch) some(decisions []int) *batch {
	out := newBatch(b.Choices, b.Own)
	for i, t := range decisions {
		out.add(b.votes(t))
		out.Known[i] = b.Known[t]
	}
	out.Voters, out.Stances, out.Answers = b.Voters, b.Stances, b.Answers
	return &out
}

// told returns the decisions whose outcomes are known.
func (b *batch) told() *batch {
	var known []int
	for t, y := range b.Known {
		if y >= 0 {
			known = append(known, t)
		}
	}
	return b.some(known)
}

// each returns a slice for each decision, with a zero for each candidate.
func (b *batch) each() [][]float64 {
	n := 0
	for _, k := range b.Field {
		n += int(k)
	}
	slab, of := make([]float64, n), make([][]float64, b.size())
	for t, k := range b.Field {
		of[t], slab = slab[:k:k], slab[k:]
	}
	return of
}

// widest returns the largest number of candidates of any decision.
func (b *batch) widest() int {
	widest := int32(b.Choices)
	for _, k := range b.Field {
		widest = max(widest, k)
	}
	return int(widest)
}

// narrow reduces the candidates of decisions with their own proposals to those that somebody named, a single one in
// place of all others, and "none of these".
func (b *batch) narrow() *batch {
	if !b.Own {
		return b
	}
	out := newBatch(b.Choices, true)
	for t := range b.size() {
		v := b.votes(t)
		none := v.field - 1
		named := slices.DeleteFunc(slices.Clone(v.said), func(l int32) bool { return l == none })
		slices.Sort(named)
		named = slices.Compact(named)
		w := votes{voter: v.voter, field: min(int32(len(named))+1, none) + 1}
		to := func(l int32) int32 {
			if l == none {
				return w.field - 1
			}
			if i := slices.Index(named, l); i >= 0 {
				return int32(i)
			}
			return int32(len(named))
		}
		for _, l := range v.said {
			w.said = append(w.said, to(l))
		}
		out.add(w)
		if known := b.Known[t]; known >= 0 {
			out.Known[t] = to(known)
		}
		out.Choices = max(out.Choices, int(w.field))
	}
	out.Voters = b.Voters
	return &out
}

// known returns the number of known outcomes.
func (b *batch) known() int {
	n := 0
	for _, y := range b.Known {
		if y >= 0 {
			n++
		}
	}
	return n
}

// votes holds the votes on one decision between field candidates, one per voter. If the decision has its own proposals,
// the last candidate is "none of these".
type votes struct {
	voter  []int32
	said   []int32
	stated []float64 // stated confidence; nil: 1
	field  int32
	lift   []float64 // what stated confidence adds to the voters' log-odds; nil: 0
}

// sure returns the stated confidence of vote i.
func (v votes) sure(i int) float64 { return or(v.stated, i, 1) }

// lifted returns what the stated confidence of vote i adds to its voter's log-odds.
func (v votes) lifted(i int) float64 { return or(v.lift, i, 0) }

// or returns s[i], or otherwise if s is nil.
func or(s []float64, i int, otherwise float64) float64 {
	if s == nil {
		return otherwise
	}
	return s[i]
}

// hash returns a number that depends on who says what.
func (v votes) hash() uint64 {
	h := fnv.New64a()
	for i, j := range v.voter {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(j)<<32|uint64(v.said[i])))
	}
	return h.Sum64()
}
