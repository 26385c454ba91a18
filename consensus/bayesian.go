package consensus

// Bayesian takes votes for evidence: a proposal's support is its posterior probability among the
// proposals and none of these. A vote multiplies the odds of its proposal by 4 to the power of its weight,
// or by what has been learned of its voter, and all evidence is discounted for voters who are not
// independent.
type Bayesian struct{}

// Name returns "bayesian".
func (Bayesian) Name() string { return "bayesian" }

// Decide decides by posterior probability.
func (s Bayesian) Decide(b Ballots) Decision {
	var scratch [small]count
	bd := b.board(&scratch)
	return s.decide(&bd)
}

func (s Bayesian) decide(bd *board) Decision {
	st := bd.stand(byEvidence)
	x := bd.posterior()
	if st.lead >= 0 {
		st.support = x.of(st.score)
	}
	st.none = x.of(0)
	return bd.decide(s.Name(), &st)
}
