package consensus

// ConfidenceWeighted weighs each vote by how sure its voter says it is: a proposal's support is the
// weight that agrees with it over the sum of each voter's largest weight.
type ConfidenceWeighted struct{}

// Name returns "confidence-weighted".
func (ConfidenceWeighted) Name() string { return "confidence-weighted" }

// Decide decides by the share of weight.
func (s ConfidenceWeighted) Decide(b Ballots) Decision {
	var scratch [small]count
	bd := b.board(&scratch)
	return s.decide(&bd)
}

func (s ConfidenceWeighted) decide(bd *board) Decision {
	st := bd.total.weigh()
	return bd.decide(s.Name(), &st)
}

// weigh is the standing by share of weight.
func (t *tally) weigh() standing {
	st := t.stand(byWeight, false)
	st.support = ratio(st.score, t.weight)
	st.none = ratio(t.noneWeight, t.weight)
	return st
}
