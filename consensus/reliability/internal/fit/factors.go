package fit

import (
	"cmp"
	"slices"
)

// factors returns by how much the evidence of each vote counts. With μ the votes' strengths and the same correlation of
// errors between all voters, it is w/μ for the w ≥ 0 that minimise ½wᵀRw − μᵀw: the best linear pool of dependent
// experts (Winkler, 1981) without negative weights. Equal voters get 1/(1 + (n−1)·ρ), and a voter much weaker than the
// others gets nothing. part is what each vote counts for before that.
func (r *rates) factors(v *Votes, part []float64) []float64 {
	rho := r.errors
	if rho == 0 {
		return part
	}
	f := make([]float64, len(part))
	strength := make([]float64, len(part))
	order := make([]int, len(part))
	for i, j := range v.Voter {
		strength[i], order[i] = max(1e-3, r.strength(j)), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strength[b], strength[a]) })
	total, shared, n := 0.0, 0.0, 0.0
	for _, i := range order {
		if strength[i] <= rho*shared {
			break
		}
		n += part[i]
		total += part[i] * strength[i]
		shared = total / (1 + rho*max(0, n-1))
	}
	for i, x := range strength {
		f[i] = part[i] * max(0, x-rho*shared) / (1 - rho) / x
	}
	return f
}
