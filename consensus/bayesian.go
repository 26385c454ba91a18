package consensus

// Bayesian treats votes as evidence: a proposal's support is its posterior probability among the proposals
// and "none of these". A vote multiplies the odds of its proposal by 4 to the power of its weight, or by
// the odds learned for its voter, and all evidence is discounted for voters who are not independent.
type Bayesian struct{}

// Name returns "bayesian".
func (Bayesian) Name() string { return "bayesian" }

// Decide decides by posterior probability.
func (s Bayesian) Decide(b Ballots) Decision { return b.decideBy(s) }

func (Bayesian) stand(bd *board) standing {
	st := bd.stand(byEvidence)
	st.unit = "a probability of %s"
	if st.lead >= 0 {
		st.support = bd.odds.of(st.score)
	}
	st.none = bd.odds.of(0)
	return st
}

func (s Bayesian) settled(o *outlook, d *Decision) bool { return o.holds(s, d, slack) }
