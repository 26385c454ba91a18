package reliability

import (
	"math"
	"slices"
)

// following explains votes by sources. The voters of a group have a source in common: each says what the source says
// with a probability that is the same for all, and otherwise decides by itself (dependence between sources of data:
// Dong, Berti-Equille and Srivastava, 2009). Which voters have a source is chosen by likelihood, so that strong voters,
// who agree because both are right, are told from voters who repeat each other. It takes fewer decisions where there are
// more ways to be wrong.
//
// It is fitted by expectation maximisation, with a rate for each voter and for each source.
type following struct {
	of     *coinFit  // the distinct decisions
	groups [][]int32 // the voters of each source, the first of them first
	right  []float64 // how often each voter is right by itself
	source []float64 // how often each source is right
	follow float64   // how often a voter says what its source says
	post   []float64 // [decision][candidate]
	score  float64   // log-likelihood, and the log-prior of the voters' rates and of follow

	says  []int32   // in the decision at hand, the candidate that each voter is for, or -1
	said  []float64 // by candidate, how probable it is that a source said it
	among []int32   // the candidates for which that is not 0
}

const (
	followWrong  = 2.5 // number of wrong answers between which voters are taken to choose, if there are as many
	followRounds = 20
	followDone   = 0.01 // change of the score below which a fit has converged
	followRare   = 1e-4 // candidates that are less probable teach nothing
)

func newFollowing(of *coinFit, groups [][]int32) *following {
	return &following{
		of: of, groups: groups,
		right: make([]float64, of.b.Voters), source: make([]float64, len(groups)), post: make([]float64, of.b.size()*of.b.Choices),
		says: make([]int32, of.b.Voters), said: make([]float64, of.b.Choices),
	}
}

// fitted returns the fit with the given groups.
func fitted(of *coinFit, groups [][]int32) *following {
	f := newFollowing(of, groups)
	f.fit()
	return f
}

// fit fits the rates. It starts from poor ones of the last group and its source, and good ones of all others: from equal
// ones, a source that many follow may seem to be right.
func (f *following) fit() {
	for j := range f.right {
		f.right[j] = 0.8
	}
	if n := len(f.groups); n > 0 {
		for _, j := range f.groups[n-1] {
			f.right[j] = 0.4
		}
	}
	for i, g := range f.groups {
		f.source[i], f.follow = f.right[g[0]], 0.7
	}
	before := math.Inf(-1)
	for range followRounds {
		f.round()
		if f.score < before+followDone {
			return
		}
		before = f.score
	}
}

// tally sums up how often something was so.
type tally struct{ is, all float64 }

// rate returns the mode of the posterior with the given prior counts.
func (t tally) rate(is, all float64) float64 { return (t.is + is) / (t.all + all) }

// round is a round of expectation maximisation: the posterior of each decision, and the rates given all of them. The
// prior of a rate is that of coins, Beta(4, 2), and that of follow Beta(2, 2).
func (f *following) round() {
	right, source, follow := make([]tally, len(f.right)), make([]tally, len(f.source)), tally{}
	f.score = 0
	for _, x := range f.right {
		f.score += 3*math.Log(x) + math.Log(1-x)
	}
	if f.groups != nil {
		f.score += math.Log(f.follow) + math.Log(1-f.follow)
	}
	k, n := f.of.b.Choices, newNamed(f.of.b.Choices)
	alone := f.alone()
	for t, times := range f.of.times {
		v, p := f.of.b.votes(t), f.post[t*k:][:k]
		n.only(v.said)
		f.of.logPrior(v, n, f.of.b.Known[t], p)
		for j := range f.says {
			f.says[j] = -1
		}
		for i, j := range v.voter {
			f.says[j] = v.said[i]
		}
		for c, x := range p {
			if !math.IsInf(x, -1) {
				p[c] += math.Log(f.likelihood(alone, c, n.wrong(c, f.of.others)))
			}
		}
		f.score += times * logSum(p)
		softmax(p)
		for c, x := range p {
			if x > followRare {
				f.count(alone, c, n.wrong(c, f.of.others), times*x, right, source, &follow)
			}
		}
	}
	for j := range right {
		f.right[j] = right[j].rate(3, 4)
	}
	for g := range source {
		f.source[g] = source[g].rate(3, 4)
	}
	f.follow = follow.rate(1, 2)
}

// alone returns the voters without a source.
func (f *following) alone() (voters []int32) {
	for j := range int32(len(f.right)) {
		if !slices.ContainsFunc(f.groups, func(g []int32) bool { return slices.Contains(g, j) }) {
			voters = append(voters, j)
		}
	}
	return voters
}

// own returns the probability that voter j, deciding by itself, says what it does if c is right.
func (f *following) own(j int32, c int, wrong float64) float64 {
	if int(f.says[j]) == c {
		return f.right[j]
	}
	return (1 - f.right[j]) / wrong
}

// likelihood returns the probability of the votes if c is right.
func (f *following) likelihood(alone []int32, c int, wrong float64) float64 {
	p := 1.0
	for _, j := range alone {
		if f.says[j] >= 0 {
			p *= f.own(j, c, wrong)
		}
	}
	for g := range f.groups {
		p *= f.hear(g, c, wrong)
	}
	return p
}

// hear returns the probability of the votes of a group if c is right, and fills said with the probability that its
// source said each candidate, given those votes.
func (f *following) hear(g, c int, wrong float64) float64 {
	for _, l := range f.among {
		f.said[l] = 0
	}
	f.among, f.said[c] = append(f.among[:0], int32(c)), 1
	p, voted := 1.0, false
	for _, j := range f.groups[g] {
		l := f.says[j]
		if l < 0 {
			continue
		}
		own := (1 - f.follow) * f.own(j, c, wrong)
		p, voted = p*own, true
		if f.said[l] == 0 {
			f.among, f.said[l] = append(f.among, l), 1
		}
		f.said[l] *= 1 + f.follow/own
	}
	if !voted {
		return 1
	}
	total, rest := 0.0, 1.0 // the source may have said what nobody did
	for _, l := range f.among {
		is := f.source[g]
		if int(l) != c {
			is = (1 - is) / wrong
		}
		rest -= is
		f.said[l] *= is
		total += f.said[l]
	}
	total += max(0, rest)
	for _, l := range f.among {
		f.said[l] /= total
	}
	return p * total
}

// count adds the decision at hand to the tallies, for c with probability p.
func (f *following) count(alone []int32, c int, wrong, p float64, right, source []tally, follow *tally) {
	by := func(j int32, p float64) {
		right[j].all += p
		if int(f.says[j]) == c {
			right[j].is += p
		}
	}
	for _, j := range alone {
		if f.says[j] >= 0 {
			by(j, p)
		}
	}
	for g, of := range f.groups {
		f.hear(g, c, wrong)
		voted := false
		for _, j := range of {
			if f.says[j] < 0 {
				continue
			}
			voted = true
			x := f.said[f.says[j]] * f.follow / (f.follow + (1-f.follow)*f.own(j, c, wrong))
			follow.is += p * x
			follow.all += p
			by(j, p*(1-x))
		}
		if voted {
			source[g].is += p * f.said[c]
			source[g].all += p
		}
	}
}
