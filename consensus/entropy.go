package consensus

import "math"

// Entropy decides when weight is concentrated: the leader's support is one minus the normalized entropy
// of the distribution of weight over the proposals and "none of these", that is, the entropy divided by
// its maximum over as many alternatives as have any weight. If "none of these" weighs at least as much
// as the leader, it has that support and the leader has 0.
type Entropy struct{}

// Name returns "entropy".
func (Entropy) Name() string { return "entropy" }

// Decide decides by how concentrated the weight is.
func (s Entropy) Decide(b Ballots) Decision { return b.decideBy(s) }

func (Entropy) stand(bd *board) standing {
	st := bd.total.stand(byWeight, false)
	st.unit = "a concentration of %s"
	switch order := bd.total.order(); {
	case bd.total.noneWeight > 0 && bd.total.noneWeight >= st.score:
		st.none = order
	case st.score > 0:
		st.support = order
	}
	return st
}

func (Entropy) settled(*outlook, *Decision) bool { return false }

// order is 1 if one alternative has all the weight and 0 if it is spread evenly. As in [posterior], terms
// are summed as integers so that the order of the proposals does not matter.
func (t *tally) order() float64 {
	whole := t.noneWeight
	for i := range t.counts {
		whole += t.counts[i].favour
	}
	places, bits := 0, int64(0)
	add := func(part int64) {
		if part > 0 {
			q := float64(part) / float64(whole)
			bits += int64(-q*math.Log2(q)*one + 0.5)
			places++
		}
	}
	add(t.noneWeight)
	for i := range t.counts {
		add(t.counts[i].favour)
	}
	most := math.Log2(float64(max(2, places)))
	return min(1, max(0, 1-float64(bits)/one/most))
}
