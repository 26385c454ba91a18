package fit

import "math"

const (
	rounds     = 20
	rightPrior = 1.0  // log-odds that a voter is right before anything is learned
	rightVotes = 5.0  // and its weight, in votes
	choiceVote = 10.0 // weight of a voter's own rate in its rate on a choice, in votes
	rowVotes   = 8.0  // weight of what all say when wrong in what one voter says, in votes
)

// em is a fit of rates by expectation maximisation (Dempster, Laird and Rubin, 1977).
type em struct {
	b    *Batch
	r    *rates
	post [][]float64 // [decision][candidate]
}

// learnRates fits rates to a batch in n rounds, starting from the given probabilities of the candidates, which it
// refines, and from a correlation of errors.
func learnRates(b *Batch, post [][]float64, errors float64, n int) *rates {
	e := &em{b: b, post: post, r: &rates{own: b.Own, choices: 1, others: 1, errors: errors}}
	if !b.Own {
		e.r.choices = b.Choices
	}
	for round := range n {
		e.maximise()
		e.wrongs()
		if round > 0 && round%3 == 0 {
			e.r.errors = e.correlation()
		}
		e.r.expect(e.b, e.post)
	}
	return e.r
}

// expect is the E step: it sets the probabilities of the candidates where the outcome is not known.
func (r *rates) expect(b *Batch, post [][]float64) {
	for i := range b.Votes {
		if v := &b.Votes[i]; v.Known < 0 {
			r.joint(v, r.factors(v, v.parts()), post[i])
			softmax(post[i])
		}
	}
}

// counts are expected votes, and expected right votes, by voter and choice; the last voter is the newcomer, who has
// none.
type counts struct {
	n, right []float64
	said     []float64 // [voter*choices][said], without own candidates
	prior    []float64
}

func (e *em) count() *counts {
	k := e.r.choices
	size := (e.b.Voters + 1) * k
	x := &counts{n: make([]float64, size), right: make([]float64, size)}
	if !e.b.Own {
		x.said, x.prior = make([]float64, size*k), make([]float64, k)
	}
	for i := range e.b.Votes {
		v, post := &e.b.Votes[i], e.post[i]
		for c := range x.prior {
			x.prior[c] += post[c]
		}
		for h, j := range v.Voter {
			x.add(int(j), int(v.Said[h]), k, post)
		}
	}
	return x
}

func (x *counts) add(j, said, k int, post []float64) {
	if x.said == nil {
		x.n[j]++
		x.right[j] += post[said]
		return
	}
	for c, p := range post {
		if p < 1e-9 {
			continue
		}
		at := j*k + c
		x.n[at] += p
		x.said[at*k+said] += p
		if c == said {
			x.right[at] += p
		}
	}
}

// maximise is the M step: the rates of each voter are shrunk to those of all, as far as voters are alike, and its rates
// on each choice to its own (Kim and Ghahramani, 2012).
func (e *em) maximise() {
	x, k := e.count(), e.r.choices
	mean := (rightVotes*sigma(rightPrior) + sum(x.right)) / (rightVotes + sum(x.n))
	weight, shift := x.weight(k, mean), x.shifts(k, mean)
	e.r.right, e.r.miss = make([]float64, len(x.n)), make([]float64, len(x.n))
	for j := 0; j < len(x.n); j += k {
		own := (sum(x.right[j:j+k]) + weight*mean) / (sum(x.n[j:j+k]) + weight)
		for c := range k {
			p := own
			if k > 1 {
				p = sigma(logit(bounded(own)) + shift[c])
				p = (x.right[j+c] + choiceVote*p) / (x.n[j+c] + choiceVote)
			}
			p = bounded(p)
			e.r.right[j+c], e.r.miss[j+c] = math.Log(p), math.Log(1-p)
		}
	}
	if !e.b.Own {
		e.r.prior, e.r.wrong = x.logPrior(), x.rows(k)
	}
}

// shifts returns by how much the voters' log-odds of being right on each choice differ from their mean.
func (x *counts) shifts(k int, mean float64) []float64 {
	n, right, shift := make([]float64, k), make([]float64, k), make([]float64, k)
	for at := range x.n {
		n[at%k] += x.n[at]
		right[at%k] += x.right[at]
	}
	for c := range shift {
		shift[c] = logit(bounded((right[c]+rightVotes*mean)/(n[c]+rightVotes))) - logit(bounded(mean))
	}
	return shift
}

// weight returns how many votes the mean of all voters counts for in the rate of each, by the method of moments: the
// less they differ, the more.
func (x *counts) weight(k int, mean float64) float64 {
	within, between, all := mean*(1-mean), 4*0.04, 4.0
	for j := 0; j < len(x.n); j += k {
		n := sum(x.n[j : j+k])
		if n < 1 {
			continue
		}
		off, f := sum(x.right[j:j+k])/n-mean, n/(n+rightVotes)
		between += f * (off*off - within/n)
		all += f
	}
	return min(50, max(2, within/max(1e-3, between/all)-1))
}

func (x *counts) logPrior() []float64 {
	p, all := make([]float64, len(x.prior)), sum(x.prior)+float64(len(x.prior))
	for c, n := range x.prior {
		p[c] = math.Log((n + 1) / all)
	}
	return p
}

// rows returns the log-probabilities of what each voter says when it is wrong.
func (x *counts) rows(k int) []float64 {
	pool := make([]float64, k*k)
	for i, n := range x.said {
		pool[i%(k*k)] += n
	}
	normaliseRows(pool, k, func(int) float64 { return 4 / float64(k-1) })
	rows := x.said
	for j := 0; j < len(rows); j += k * k {
		row := rows[j : j+k*k]
		normaliseRows(row, k, func(i int) float64 { return rowVotes * pool[i] })
		for i := range row {
			row[i] = math.Log(max(1e-300, row[i]))
		}
	}
	return rows
}

// normaliseRows adds a prior to the entries of a matrix beside its diagonal, which it clears, and makes each row sum to 1.
func normaliseRows(m []float64, k int, prior func(i int) float64) {
	for c := range k {
		row := m[c*k:][:k]
		for l := range row {
			row[l] += prior(c*k + l)
		}
		row[c] = 0
		all := sum(row)
		for l := range row {
			row[l] /= all
		}
	}
}

// wrongs estimates the effective number of wrong answers, from how seldom two wrong voters agree (Simpson, 1949).
func (e *em) wrongs() {
	pairs, same := 10.0, 10.0
	for i := range e.b.Votes {
		v := &e.b.Votes[i]
		n, all, alike := make([]float64, v.Field), float64(len(v.Said)), 0.0
		for _, l := range v.Said {
			n[l]++
		}
		for _, x := range n {
			alike += x * (x - 1) / 2
		}
		for c, x := range n {
			pairs += e.post[i][c] * (all - x) * (all - x - 1) / 2
			same += e.post[i][c] * (alike - x*(x-1)/2)
		}
	}
	e.r.others = max(1, pairs/same)
	if !e.b.Own {
		e.r.others = min(e.r.others, float64(e.b.Choices-1))
	}
}

// correlation estimates the mean correlation of two voters' errors, given the leading answer (Fisher, 1925).
func (e *em) correlation() float64 {
	products, all := 0.0, 0.0
	for i := range e.b.Votes {
		v, lead := &e.b.Votes[i], best(e.post[i])
		total, norms, spread, squares := make([]float64, v.Field), 0.0, 0.0, 0.0
		for h, j := range v.Voter {
			variance := 1.0
			for l := range v.Field {
				p := math.Exp(e.r.says(j, lead, l, v.Field))
				off := -p
				variance -= p * p
				if l == int(v.Said[h]) {
					off++
				}
				total[l] += off
				norms += off * off
			}
			sd := math.Sqrt(max(variance, 1e-9))
			spread += sd
			squares += sd * sd
		}
		for _, x := range total {
			products += e.post[i][lead] * x * x
		}
		products -= e.post[i][lead] * norms
		all += e.post[i][lead] * (spread*spread - squares)
	}
	return min(0.98, max(0, products/max(all, 1e-9)))
}
