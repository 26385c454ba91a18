package fit

import (
	"math"
	"slices"
)

// modes are the rates that fit a small team's votes, each with its probability. In a team of three, votes alone may not
// show which of two explanations holds; in a crowd there is one mode.
type modes struct {
	all    []*rates
	likely []float64
}

const (
	smallTeam = 0.35 // crowd from which on one mode is enough
	sameMode  = 0.03 // greatest difference of rates that are the same mode
)

// learnModes fits rates that start from the shares of the votes and, in a small team, from the votes of each voter as
// if it was always right.
func learnModes(b *Batch, crowd float64) *modes {
	m := &modes{all: []*rates{learnRates(b, b.shares(), 0, rounds)}, likely: []float64{1}}
	if crowd >= smallTeam {
		return m
	}
	scores := []float64{m.all[0].score(b)}
	for j := range int32(b.Voters) {
		r := learnRates(b, b.trusting(j), 0, rounds)
		if !m.has(r) {
			m.all, scores = append(m.all, r), append(scores, r.score(b))
		}
	}
	softmax(scores)
	m.likely = scores
	return m
}

// again continues the fits for a few rounds with what is known in another batch.
func (m *modes) again(b *Batch) *modes {
	a := &modes{likely: make([]float64, len(m.all))}
	for i, r := range m.all {
		post := b.shares()
		r.expect(b, post)
		a.all = append(a.all, learnRates(b, post, r.errors, warmRounds))
		a.likely[i] = a.all[i].score(b)
	}
	softmax(a.likely)
	return a
}

// trusting returns the shares of the votes, except where the voter has voted, which is taken to be right.
func (b *Batch) trusting(j int32) [][]float64 {
	post := b.shares()
	for i := range b.Votes {
		v := &b.Votes[i]
		for h, g := range v.Voter {
			if g == j && v.Known < 0 {
				clear(post[i])
				post[i][v.Said[h]] = 1
			}
		}
	}
	return post
}

func (m *modes) has(r *rates) bool {
	for _, x := range m.all {
		apart := 0.0
		for at := range r.right {
			apart = max(apart, math.Abs(math.Exp(r.right[at])-math.Exp(x.right[at])))
		}
		if apart < sameMode {
			return true
		}
	}
	return false
}

// score returns the logarithm of the posterior density of rates with the prior Beta(4, 2) for each voter.
func (r *rates) score(b *Batch) (s float64) {
	for j := range b.Voters {
		p := bounded(r.mean(int32(j)))
		s += 3*math.Log(p) + math.Log(1-p)
	}
	for i := range b.Votes {
		v := &b.Votes[i]
		p := make([]float64, v.Field)
		r.joint(v, slices.Repeat([]float64{1}, len(v.Voter)), p)
		if v.Known >= 0 {
			s += p[v.Known]
		} else {
			s += logSum(p)
		}
		if r.own {
			s += r.labellings(v)
		}
	}
	return s
}

// labellings returns the logarithm of the number of ways to name the answers that were given, if one of them had its
// name: which names there are says nothing where decisions have their own candidates.
func (r *rates) labellings(v *Votes) (s float64) {
	named := slices.Compact(slices.Sorted(slices.Values(v.Said)))
	for i := 1; i < len(named); i++ {
		s += math.Log(max(0.1, r.others+1-float64(i)))
	}
	return s
}

// average returns the mean of f over the modes.
func (m *modes) average(f func(r *rates) float64) (x float64) {
	for i, r := range m.all {
		x += m.likely[i] * f(r)
	}
	return x
}
