package consensus

import "math"

// EffectiveSize returns how many independent voters would say as much as these, whose errors go together:
// (Σw)² / ΣΣ wᵢwⱼρᵢⱼ, the effective size of a weighted sample (Kish, 1965). correlation is asked once for
// each pair i < j and read within [-1,1]; what is no number counts as 1, the cautious reading. Weights that
// are not above 0 do not count. The result is at most the number of those that do: voters who err against
// one another are not taken for more than they are. It is 0 when there are none.
//
// n voters of equal weight and correlation ρ are n / (1 + (n−1)ρ) independent ones. It costs a look at each
// pair.
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
	if spread <= sum*sum/max(1, n) { // also a matrix that no sample could have
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

// GroupedSize is [EffectiveSize] where voters fall into groups: within is the correlation in a group,
// across that of voters of different ones, both in [0,1]. It costs a pass over the voters.
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
