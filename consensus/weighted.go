package consensus

// ConfidenceWeighted weights each vote by its voter's stated confidence: a proposal's support is
// the weight that agrees with it over the sum of each voter's largest weight.
type ConfidenceWeighted struct{}

// Name returns "confidence-weighted".
func (ConfidenceWeighted) Name() string { return "confidence-weighted" }

// Decide decides by the share of weight.
func (s ConfidenceWeighted) Decide(b Ballots) (d Decision) {
	s.decide(b.board(), b.closed, &d)
	return d
}

func (s ConfidenceWeighted) decide(bd *board, closed bool, d *Decision) {
	st := bd.total.weigh()
	bd.decide(s.Name(), &st, closed, d)
}

// weigh returns the standing by share of weight.
func (t *tally) weigh() standing {
	st := t.stand(byWeight, false)
	st.support = ratio(st.score, t.weight)
	st.none = ratio(t.noneWeight, t.weight)
	return st
}
