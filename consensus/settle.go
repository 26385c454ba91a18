package consensus

// Settle makes a decision of a custom strategy's own measure of support, by the rules every outcome
// follows: support holds one number in [0,1] per proposal, in the order of [Ballots.Proposals], none that
// for none of these. Proposals that nobody agrees with do not lead, and one that more weight rejects than
// supports is not chosen, whatever its support. Settle panics when the numbers do not match the proposals.
func (b Ballots) Settle(strategy string, support []float64, none float64) Decision {
	return Decision{Strategy: strategy}
}
