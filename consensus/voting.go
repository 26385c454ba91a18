package consensus

// Voting gives every voter one vote: a proposal's support is the share that agrees with it among the
// voters who did not abstain. Weights affect [Decision.Confidence], but not the outcome.
type Voting struct{}

// Name returns "voting".
func (Voting) Name() string { return "voting" }

// Decide decides by the share of voters.
func (s Voting) Decide(b Ballots) (d Decision) {
	s.decide(b.board(), b.closed, &d)
	return d
}

func (s Voting) decide(bd *board, closed bool, d *Decision) {
	st := bd.stand(byVoters)
	st.support = ratio(int(st.score), bd.total.spoke)
	st.none = ratio(bd.total.none, bd.total.spoke)
	bd.decide(s.Name(), &st, closed, d)
}
