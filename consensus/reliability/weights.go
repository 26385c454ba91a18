package reliability

import (
	"cmp"
	"math"
	"slices"
)

// cast holds votes as they count: by whom, the factor on their evidence, the lift of their log-odds, and how many
// newcomers cast the same vote. A nil slice means 1, 0 and 1 for all votes.
type cast struct {
	voter             []int32
	part, lift, times []float64
}

func newCast(n int) cast {
	slab := make([]float64, 2*n)
	return cast{voter: make([]int32, n), part: slab[:n:n], lift: slab[n:]}
}

// weights fills f with the factor on each vote's evidence, among k candidates, and returns the effective number of
// votes. With μ the strengths of the votes and R the correlation matrix of their voters, the factor is w/μ for the
// w ≥ 0 that minimises ½wᵀRw − μᵀw: the best linear pool of dependent experts (Winkler, 1981; Clemen and Winkler,
// 1985) without negative weights. Equal voters get 1/(1+(n−1)ρ) each, copies share one vote, and a voter much weaker
// than those it errs with gets nothing.
func (m *parameters) weights(c cast, k int, f []float64) (votes float64) {
	mu, times := make([]float64, len(f)), c.times
	if times == nil {
		times = fill(len(f), 1)
	}
	pairs := false
	for i, j := range c.voter {
		mu[i] = or(c.part, i, 1) * m.strength(j, k, or(c.lift, i, 0))
		pairs = pairs || m.Corr.paired(j)
	}
	if pairs {
		m.Corr.descend(c.voter, mu, times, f)
	} else {
		equal(mu, m.Corr.pooled(), times, f)
	}
	for i, j := range c.voter {
		if mu[i] > 0 {
			f[i] /= mu[i]
			votes += times[i] * f[i] * min(or(c.part, i, 1), mu[i]/m.strength(j, k, 0)) // an unsure vote is less than one
		}
	}
	return votes
}

// descend solves for w by coordinate descent, which converges because R is positive definite, or made so by shrinking.
// The error that a dozen sweeps leave is too small to change a decision.
func (c *correlation) descend(voter []int32, mu, times, w []float64) {
	clear(w)
	sum := 0.0
	for range 12 {
		change := 0.0
		for i, j := range voter {
			z := mu[i] - c.Pooled*(sum-times[i]*w[i])
			if c.paired(j) {
				for h, g := range voter {
					if w[h] > 0 && h != i && c.paired(g) {
						z -= (c.between(j, g) - c.Pooled) * w[h]
					}
				}
			}
			z = max(0, z) / (1 + c.Pooled*(times[i]-1))
			change = max(change, math.Abs(z-w[i]))
			sum += times[i] * (z - w[i])
			w[i] = z
		}
		if change < 1e-4 {
			break
		}
	}
}

// equal solves for w if all pairs have the same correlation: w = max(0, μ−ρ·Σw)/(1−ρ), the strongest votes first.
func equal(mu []float64, rho float64, times, w []float64) {
	order := make([]int, len(mu))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(mu[b], mu[a]) })
	total, sum, n := 0.0, 0.0, 0.0
	for _, i := range order {
		if mu[i] <= rho*sum {
			break
		}
		n += times[i]
		total += times[i] * mu[i]
		sum = total / (1 - rho + rho*n)
	}
	for i, x := range mu {
		w[i] = max(0, x-rho*sum) / (1 - rho)
	}
}

// weigher computes the weights of the votes of one decision after another. They do not depend on what the votes say, so
// where the same voters vote in every decision, as in a swarm, they are computed once.
type weigher struct {
	m   *parameters
	was votes
	f   []float64
	n   float64
}

// of returns the weights, valid until the next call, and the effective number of votes.
func (w *weigher) of(v votes) (f []float64, n float64) {
	if w.f == nil || v.field != w.was.field || !slices.Equal(v.voter, w.was.voter) || !slices.Equal(v.lift, w.was.lift) {
		w.was, w.f = v, make([]float64, len(v.voter))
		w.n = w.m.weights(cast{voter: v.voter, lift: v.lift}, w.m.between(v), w.f)
	}
	return w.f, w.n
}
