package reliability

import (
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// coins models each voter as a biased coin: it is right equally often in all decisions, whatever is right in them, and
// independently of the other voters. The posterior of so few parameters can be integrated nearly exactly. It has
// several modes, since the votes can often be explained in more than one way. A decision is the mean over modes and
// priors, weighted by how likely they make the votes.
//
// Each mode is found by mean-field variational inference (Kim and Ghahramani, 2012, with a single rate in place of each
// confusion matrix). It starts from the shares of the votes and, for each voter, from that voter's votes as the truth.
// The weight of a mode is its lower bound of the marginal likelihood.
type coins struct {
	Modes []coinMode `json:"modes"`
}

// coinMode is one mode of the posterior.
type coinMode struct {
	Weight float64   `json:"weight"` // those of all modes sum to 1
	Right  []float64 `json:"right"`  // how often each voter is right; the last is the newcomer
}

// coinPriors lists Beta priors of how often a voter is right: two times in three, for teams whose voters differ more or
// less, or three times in four.
var coinPriors = [...][2]float64{{4, 2}, {2, 1}, {12, 6}, {2.4, 0.8}}

// named is the set of candidates that the voters of a decision named.
type named struct {
	is []bool // by candidate
	n  int
}

func newNamed(candidates int) *named { return &named{is: make([]bool, candidates)} }

func (n *named) only(of []int32) {
	clear(n.is)
	n.n = 0
	n.add(of)
}

func (n *named) add(of []int32) {
	for _, c := range of {
		if !n.is[c] {
			n.is[c] = true
			n.n++
		}
	}
}

const (
	coinRounds = 40
	coinClose  = 0.01 // modes are the same if no voter's rate differs by as much
	coinDone   = 1e-6 // change of the bound below which a fit has converged
)

// newCoins fits coins to b. It returns nil in a crowd, and for fewer than three voters, whose rates the votes do not
// determine.
func newCoins(b *batch, others float64) *coins {
	if n := b.voting(); crowd(n) == 1 || n < 3 {
		return nil
	}
	f := newCoinFit(b)
	f.others = others
	var modes []*coinFit
	for _, start := range f.starts() {
		modes = f.distinct(modes, f.from(start, coinPriors[0]))
	}
	found := len(modes)
	for _, prior := range coinPriors[1:] {
		var mine []*coinFit
		for _, m := range modes[:found] {
			mine = f.distinct(mine, f.from(m.post, prior))
		}
		modes = append(modes, mine...)
	}
	return mixCoins(modes)
}

func mixCoins(modes []*coinFit) *coins {
	bound := make([]float64, len(modes))
	for i, m := range modes {
		bound[i] = m.bound
	}
	softmax(bound)
	c := new(coins)
	for i, m := range modes {
		c.Modes = append(c.Modes, coinMode{bound[i], append(m.mean(), m.prior[0]/(m.prior[0]+m.prior[1]))})
	}
	return c
}

// voting returns the number of voters who have votes.
func (b *batch) voting() (n int) {
	seen := make([]bool, b.Voters)
	for _, j := range b.Voter {
		if !seen[j] {
			seen[j] = true
			n++
		}
	}
	return n
}

// coinFit is the fit of one mode.
type coinFit struct {
	b     *batch    // distinct decisions
	times []float64 // how often each occurs
	prior [2]float64
	post  []float64    // [decision][candidate]
	beta  [][2]float64 // by voter
	bound float64

	others float64 // as in parameters
}

// newCoinFit collapses equal decisions into one each, in an order that does not depend on the order in the batch.
func newCoinFit(b *batch) *coinFit {
	b = b.narrow()
	keys, first, times := make([]string, b.size()), map[string]int{}, map[string]float64{}
	for t := range b.size() {
		v := b.votes(t)
		key := binary.AppendVarint(binary.AppendVarint(nil, int64(v.field)), int64(b.Known[t]))
		for i, j := range v.voter {
			key = binary.AppendVarint(binary.AppendVarint(key, int64(j)), int64(v.said[i]))
		}
		keys[t] = string(key)
		if _, met := first[keys[t]]; !met {
			first[keys[t]] = t
		}
		times[keys[t]]++
	}
	slices.Sort(keys)
	f := new(coinFit)
	few := newBatch(b.Choices, b.Own)
	for _, key := range slices.Compact(keys) {
		v := b.votes(first[key])
		few.add(votes{voter: v.voter, said: v.said, field: v.field})
		few.Known[len(few.Known)-1] = b.Known[first[key]]
		f.times = append(f.times, times[key])
	}
	few.Voters = b.Voters
	f.b = &few
	return f
}

// starts returns the initial posteriors of the decisions: the shares of the votes, and one for each voter in which its
// own votes are right.
func (f *coinFit) starts() [][]float64 {
	k := f.b.Choices
	shares := make([]float64, f.b.size()*k)
	all := [][]float64{shares}
	for range f.b.Voters {
		all = append(all, make([]float64, len(shares)))
	}
	for t := range f.b.size() {
		v := f.b.votes(t)
		for _, l := range v.said {
			shares[t*k+int(l)] += 1 / float64(len(v.said))
		}
		for _, of := range all[1:] {
			copy(of[t*k:][:k], shares[t*k:])
		}
		for i, j := range v.voter {
			of := all[1+j][t*k:][:k]
			clear(of)
			of[v.said[i]] = 1
		}
	}
	return all
}

// from returns the mode that a fit with the given prior reaches from start.
func (f *coinFit) from(start []float64, prior [2]float64) *coinFit {
	m := &coinFit{b: f.b, times: f.times, prior: prior, others: f.others, post: slices.Clone(start), beta: make([][2]float64, f.b.Voters)}
	k := f.b.Choices
	for t, known := range f.b.Known {
		if known >= 0 {
			clear(m.post[t*k:][:k])
			m.post[t*k+int(known)] = 1
		}
	}
	for range coinRounds {
		before := m.bound
		m.count()
		m.answer()
		if math.Abs(m.bound-before) < coinDone {
			break
		}
	}
	return m
}

// count is the M step.
func (f *coinFit) count() {
	for j := range f.beta {
		f.beta[j] = f.prior
	}
	for t, n := range f.times {
		v := f.b.votes(t)
		for i, j := range v.voter {
			right := f.post[t*f.b.Choices+int(v.said[i])]
			f.beta[j][0] += n * right
			f.beta[j][1] += n * (1 - right)
		}
	}
}

// answer is the E step: the posterior of each decision, and the lower bound of the marginal likelihood.
func (f *coinFit) answer() {
	right, wrong := make([]float64, len(f.beta)), make([]float64, len(f.beta))
	f.bound = 0
	for j, x := range f.beta {
		all := mathext.Digamma(x[0] + x[1])
		right[j], wrong[j] = mathext.Digamma(x[0])-all, mathext.Digamma(x[1])-all
		f.bound += mathext.Lbeta(x[0], x[1]) - mathext.Lbeta(f.prior[0], f.prior[1])
		f.bound -= (x[0]-f.prior[0])*right[j] + (x[1]-f.prior[1])*wrong[j]
	}
	k := f.b.Choices
	away, n := make([]float64, k), newNamed(k)
	for t, times := range f.times {
		v, p := f.b.votes(t), f.post[t*k:][:k]
		n.only(v.said)
		f.logPrior(v, n, f.b.Known[t], p)
		for c := range p {
			away[c] = -math.Log(n.wrong(c, f.others))
		}
		for i, j := range v.voter {
			for c := range p {
				if l := int(v.said[i]); l == c {
					p[c] += right[j]
				} else {
					p[c] += wrong[j] + away[c]
				}
			}
		}
		f.bound += times * logSum(p)
		softmax(p)
	}
}

// logPrior fills p with the log-prior of a decision.
func (f *coinFit) logPrior(v votes, n *named, known int32, p []float64) {
	if f.b.Own {
		v.possible(f.others, p)
	} else {
		n.possible(f.others, p)
	}
	condition(known, p)
}

// possible fills p with the log-prior of a decision between shared choices. All choices that nobody named are together
// as probable as the unnamed answers in a decision with its own proposals.
func (n *named) possible(others float64, p []float64) {
	each := math.Log(max(noneShare, others+1-float64(n.n)) / float64(len(p)-n.n))
	for c, is := range n.is {
		p[c] = each
		if is {
			p[c] = 0
		}
	}
}

// wrong returns the number of wrong answers if c is right: the effective number, or the number of those that were named
// if that is larger.
func (n *named) wrong(c int, others float64) float64 {
	named := n.n
	if n.is[c] {
		named--
	}
	return max(1, float64(named), others)
}

// mean returns the posterior mean of how often each voter is right.
func (f *coinFit) mean() []float64 {
	of := make([]float64, 0, len(f.beta)+1)
	for _, x := range f.beta {
		of = append(of, x[0]/(x[0]+x[1]))
	}
	return of
}

// distinct appends m to modes unless it equals one of them.
func (f *coinFit) distinct(modes []*coinFit, m *coinFit) []*coinFit {
	mine := m.mean()
	for _, o := range modes {
		apart := 0.0
		for j, x := range o.mean() {
			apart = max(apart, math.Abs(x-mine[j]))
		}
		if apart < coinClose {
			return modes
		}
	}
	return append(modes, m)
}

// of returns how often voter j is right in the mode.
func (m *coinMode) of(j int32) float64 {
	if int(j) >= len(m.Right)-1 {
		j = int32(len(m.Right) - 1)
	}
	return m.Right[j]
}

// byCoins returns the mean over modes of the candidates' probabilities, discounted by the correlation of errors.
func (a *answering) byCoins(rho float64) []float64 {
	m := a.m.params
	seen := m.Corr.pooled()
	if m.OneGroup {
		seen = min(1, seen+m.unseen(rho))
	}
	sum, p := make([]float64, a.field), make([]float64, a.field)
	for i := range m.Coins.Modes {
		mode := &m.Coins.Modes[i]
		n := a.hearCoins(mode, p)
		g := 1 / (1 + seen*max(0, n-1))
		for c := range p {
			p[c] *= g
		}
		softmax(p)
		for c, x := range p {
			sum[c] += mode.Weight * x
		}
	}
	return sum
}

// hearCoins fills p with the log joint probability of each candidate and the ballots in a mode, and returns the
// effective number of ballots.
func (a *answering) hearCoins(mode *coinMode, p []float64) (n float64) {
	said, backed := newNamed(a.field), newNamed(a.field)
	for _, v := range a.voices {
		s := &a.said[v.said]
		said.add(s.among)
		if !s.not {
			backed.add(s.among)
		} else if a.own && len(s.among) == a.field-1 {
			said.add([]int32{int32(a.field - 1)}) // "none of these" is one answer more
		}
	}
	if a.own {
		clear(p)
		p[a.field-1] = a.none()
	} else {
		backed.possible(a.m.params.Others, p)
	}
	for i, v := range a.voices {
		odds := logit(mode.of(a.m.params.first(v.voter)))
		above := odds + math.Log(max(1, float64(said.n-1), a.m.params.Others))
		lift, w := a.cast.lift[i], a.cast.part[i]*a.alike(i)
		n += w
		if lift < 0 && above != 0 { // low confidence moves a voter towards chance from either side, and counts less
			lift = -math.Copysign(min(-lift, math.Abs(above)), above)
			n += w * lift / above
		}
		right := sigma(odds + max(lift, -math.Abs(above)))
		for c := range p {
			p[c] += w * math.Log(max(a.saysCoin(right, &a.said[v.said], c, said), 1e-300))
		}
	}
	return n
}

// saysCoin returns the probability of a ballot if c is right.
func (a *answering) saysCoin(right float64, s *said, c int, n *named) float64 {
	p, others := 0.0, len(s.among)
	if _, in := slices.BinarySearch(s.among, int32(c)); in {
		p, others = right, others-1
	}
	p += float64(others) * (1 - right) / n.wrong(c, a.m.params.Others)
	if s.not {
		return 1 - p
	}
	return p
}
