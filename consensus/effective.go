package consensus

import "math"

// EffectiveSize returns how many independent voters are worth as much as these, whose errors are
// correlated: (Σw)² / ΣΣ wᵢwⱼρᵢⱼ, the effective size of a weighted sample (Kish, 1965). correlation is
// called once for each pair i < j and its result clamped to [-1,1]; NaN counts as 1, to be cautious. Only
// weights above 0 count. The result is at most their number, even where errors are negatively correlated,
// and 0 if there are none.
//
// n voters of equal weight and correlation ρ are worth n / (1 + (n−1)ρ) independent ones. It takes time
// quadratic in the voters.
func EffectiveSize(weights []float64, correlation func(i, j int) float64) float64 {
	var sum, spread, n float64
	for i, w := range weights {
		if !(w > 0) {
			continue
		}
		n++
		sum += w
		spread += w * w
		for j := range i {
			if weights[j] > 0 {
				spread += 2 * w * weights[j] * cautious(correlation(j, i))
			}
		}
	}
	if spread <= sum*sum/max(1, n) { // also for a matrix that no sample could have
		return n
	}
	return sum * sum / spread
}

func cautious(rho float64) float64 {
	if math.IsNaN(rho) {
		return 1
	}
	return min(1, max(-1, rho))
}

// GroupedSize is [EffectiveSize] where voters fall into groups: within is the correlation inside a
// group, across that between voters of different groups, both in [0,1]. It takes time linear in the
// voters.
func GroupedSize(weights []float64, group func(i int) string, within, across float64) float64 {
	var sum, squares, own float64
	groups := map[string]float64{}
	order := []string{}
	for i, w := range weights {
		if !(w > 0) {
			continue
		}
		g := group(i)
		if _, ok := groups[g]; !ok {
			order = append(order, g)
		}
		groups[g] += w
		sum += w
		squares += w * w
	}
	for _, g := range order {
		own += groups[g] * groups[g]
	}
	if sum == 0 {
		return 0
	}
	return sum * sum / (squares + cautious(within)*(own-squares) + cautious(across)*(sum*sum-own))
}
