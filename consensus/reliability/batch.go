package reliability

import "slices"

// batch is many decisions in flat slices. Decision t's votes are Voter[Start[t]:Start[t+1]] with the same
// range of Said; Known[t] is its outcome or -1. It is between Field[t] candidates, numbered from 0: the Choices, which
// mean the same in every decision, unless Own. Then a number only tells one decision's candidates apart.
type batch struct {
	Choices int       `json:"choices"`
	Voters  int       `json:"voters"`
	Own     bool      `json:"own,omitempty"`
	Stances bool      `json:"stances,omitempty"`
	Start   []int32   `json:"start"`
	Voter   []int32   `json:"voter"`
	Said    []int32   `json:"said"`
	Stated  []float64 `json:"stated,omitempty"` // how sure the voters say they are; nil: all of them entirely
	Known   []int32   `json:"known"`
	Field   []int32   `json:"field"`

	Answers int `json:"-"` // that were ever named; 0: nobody counted
}

func newBatch(choices int, own bool) batch {
	return batch{Choices: choices, Own: own, Start: []int32{0}}
}

// size is the number of decisions.
func (b *batch) size() int { return len(b.Known) }

// votes are those of decision t.
func (b *batch) votes(t int) votes {
	from, to := b.Start[t], b.Start[t+1]
	v := votes{voter: b.Voter[from:to], said: b.Said[from:to], field: b.Field[t]}
	if b.Stated != nil {
		v.stated = b.Stated[from:to]
	}
	return v
}

// add appends one decision whose outcome is not known.
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

// only returns the votes of those who keep a number, of so many: to is each voter's, -1 for none.
func (b *batch) only(to []int32, voters int) *batch {
	out := newBatch(b.Choices, b.Own)
	out.Stances = b.Stances
	for t := range b.size() {
		v := b.votes(t)
		w := votes{field: v.field}
		for i, j := range v.voter {
			if to[j] >= 0 {
				w.voter, w.said, w.stated = append(w.voter, to[j]), append(w.said, v.said[i]), append(w.stated, v.sure(i))
			}
		}
		out.add(w)
	}
	out.Voters, out.Known, out.Answers = voters, slices.Clone(b.Known), b.Answers
	return &out
}

// each returns a number for each candidate of each decision.
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

// widest is how many candidates there are at most.
func (b *batch) widest() int {
	widest := int32(b.Choices)
	for _, k := range b.Field {
		widest = max(widest, k)
	}
	return int(widest)
}

// narrow returns proposals of a decision's own as those that somebody names, one in place of all others that there
// are, and none of these.
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

// known is how many outcomes are known.
func (b *batch) known() int {
	n := 0
	for _, y := range b.Known {
		if y >= 0 {
			n++
		}
	}
	return n
}

// votes are those of one decision between field candidates: one per voter. In a decision with proposals of
// its own the last candidate is none of these.
type votes struct {
	voter  []int32
	said   []int32
	stated []float64 // how sure the voters say they are; nil: entirely
	field  int32
	lift   []float64 // what that adds to their log-odds; nil: nothing
}

// sure is how sure the voter of vote i says it is.
func (v votes) sure(i int) float64 { return or(v.stated, i, 1) }

// lifted is what vote i's certainty adds to its voter's log-odds.
func (v votes) lifted(i int) float64 { return or(v.lift, i, 0) }

// or returns s[i], or something else where there is no s.
func or(s []float64, i int, otherwise float64) float64 {
	if s == nil {
		return otherwise
	}
	return s[i]
}
