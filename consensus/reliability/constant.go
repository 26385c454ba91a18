package reliability

import "gonum.org/v1/gonum/floats"

const (
	constantShare = 0.1 // share of the votes for other choices expected of a voter below which it is constant
	constantPrior = 0.5 // votes that are added to those expected and those counted
)

// constant returns for each voter the choice that it names whatever the question, or -1: one in whose place it names
// others less than a tenth as often as the other voters do. Such votes say nothing, and to learn from them does harm:
// voters who always name the same choice agree with each other, and by one explanation of the votes they are always
// right. With stances, a voter's sensitivity and specificity say as much. Where decisions have their own proposals,
// names mean nothing: every agent may name its proposals after itself, and vote for them. constant returns nil in both
// cases, and if there are no such voters.
func (b *batch) constant() []int32 {
	if b.Own || b.Stances {
		return nil
	}
	k := b.Choices
	by, all := make([]float64, b.Voters*k), make([]float64, k)
	for i, j := range b.Voter {
		by[int(j)*k+int(b.Said[i])]++
		all[b.Said[i]]++
	}
	constant, found := make([]int32, b.Voters), false
	for j := range constant {
		constant[j] = -1
		mine := by[j*k:][:k]
		cast := floats.Sum(mine)
		rest := float64(len(b.Voter)) - cast
		if rest == 0 {
			return nil // there are no other voters
		}
		for c, x := range mine {
			expected := cast * (1 - (all[c]-x)/rest)
			if cast-x+constantPrior < constantShare*(expected+constantPrior) {
				constant[j], found = int32(c), true
			}
		}
	}
	if !found {
		return nil
	}
	return constant
}

// varied returns the batch without the votes of constant voters for the choice that they always name.
func (b *batch) varied(constant []int32) *batch {
	if constant == nil {
		return b
	}
	return b.only(b.Voters, func(v votes, i int) int32 {
		if constant[v.voter[i]] == v.said[i] {
			return -1
		}
		return v.voter[i]
	})
}

// constant returns the choice that voter j names whatever the question, or -1.
func (m *parameters) constant(j int32) int32 {
	if int(j) >= len(m.Constant) {
		return -1
	}
	return m.Constant[j]
}

// constant reports whether voice i names the choice that its voter names whatever the question.
func (a *answering) constant(i int) bool {
	v := a.voices[i]
	c, ok := a.said[v.said].single(a.field)
	return ok && !a.own && c == a.m.params.constant(v.voter)
}

// unasked returns the strength of a vote that voter j has yet to cast: none if it is known beforehand.
func (m *parameters) unasked(j int32, k int, lift float64) float64 {
	if m.constant(j) >= 0 {
		return 0
	}
	return m.strength(j, k, lift)
}
