package consensus

// ConfidenceWeighted weights each vote by its voter's stated confidence: a proposal's support is
// the weight that agrees with it over the sum of what each voter weighs, which is the largest weight with which
// it agrees or, if it agrees with nothing, rejects.
type ConfidenceWeighted struct{}

// Name returns "confidence-weighted".
func (ConfidenceWeighted) Name() string { return "confidence-weighted" }

// Decide decides by the share of weight.
func (s ConfidenceWeighted) Decide(b Ballots) Decision { return b.decideBy(s) }

func (ConfidenceWeighted) stand(bd *board) standing { return bd.total.weigh() }

func (s ConfidenceWeighted) settled(o *outlook, d *Decision) bool { return o.holds(s, d, 0) }

// weigh returns the standing by share of weight.
func (t *tally) weigh() standing {
	st := t.stand(byWeight, false)
	st.unit = "%s of the weight"
	st.support = ratio(st.score, t.weight)
	st.none = ratio(t.noneWeight, t.weight)
	return st
}
