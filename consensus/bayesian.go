package consensus

// Bayesian treats votes as evidence: a proposal's support is its posterior probability among the proposals
// and "none of these". A vote multiplies the odds of its proposal by 4 to the power of its weight, or by
// the odds learned for its voter, and all evidence is discounted for voters who are not independent.
type Bayesian struct{}

// Name returns "bayesian".
func (Bayesian) Name() string { return "bayesian" }

// Decide decides by posterior probability.
func (s Bayesian) Decide(b Ballots) (d Decision) {
	s.decide(b.board(), b.closed, &d)
	return d
}

func (s Bayesian) decide(bd *board, closed bool, d *Decision) {
	st := bd.stand(byEvidence)
	if st.lead >= 0 {
		st.support = bd.odds.of(st.score)
	}
	st.none = bd.odds.of(0)
	bd.decide(s.Name(), &st, closed, d)
}
