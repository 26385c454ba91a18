package consensus

// Voting gives every voter one vote: a proposal's support is the share that agrees with it among the
// voters who did not abstain. Weights affect [Decision.Confidence], but not the outcome.
type Voting struct{}

// Name returns "voting".
func (Voting) Name() string { return "voting" }

// Decide decides by the share of voters.
func (s Voting) Decide(b Ballots) Decision { return b.decideBy(s) }

func (Voting) stand(bd *board) standing {
	st := bd.stand(byVoters)
	st.unit = "%s of the voters"
	st.support = ratio(int(st.score), bd.total.spoke)
	st.none = ratio(bd.total.none, bd.total.spoke)
	return st
}

func (s Voting) settled(o *outlook, d *Decision) bool { return o.holds(s, d, 0) }
