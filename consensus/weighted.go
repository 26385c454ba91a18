package consensus

// ConfidenceWeighted weights each vote by its voter's stated confidence: a proposal's support is
// the weight that agrees with it over the sum of each voter's largest weight.
type ConfidenceWeighted struct {
	// Groups makes voters of one group of [Options.Groups] share one vote, the mean of theirs. Where two voters are
	// of one group, each decision then takes a pass over the votes, in a [Round] too.
	Groups bool
}

// Name returns "confidence-weighted".
func (ConfidenceWeighted) Name() string { return "confidence-weighted" }

// Decide decides by the share of weight.
func (s ConfidenceWeighted) Decide(b Ballots) (d Decision) {
	s.decide(b.board(), b.closed, &d)
	return d
}

func (s ConfidenceWeighted) decide(bd *board, closed bool, d *Decision) {
	if s.Groups {
		bd = bd.grouped()
	}
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
