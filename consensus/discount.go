package consensus

import "maps"

// WithGroupDiscount returns the same ballots with the weights of voters in a group of [Options.Groups] reduced,
// because their errors have a common source: they are divided by the group's design effect, 1 + 0.5·(w − 1) for the
// sum w of its voters' largest weights, if that is above 1 (Kish, 1965). A group of any size has the weight of less
// than two voters. as returns the name of the group that a voter shares with, given the voter and its group; nil
// means its own group. If all voters in the options are in one group, the ballots are unchanged: one group for
// everyone carries no information.
//
// left describes the voters who may still vote. Weights are divided as if all of them had voted with the greatest
// weight that they may have, so their votes cannot change a decision of [ConfidenceWeighted] on such ballots that is
// [Settled]. The call costs as much as building the ballots.
func (b Ballots) WithGroupDiscount(as func(voter, group string) string, left Left) Ballots {
	bd := b.board()
	if !bd.terms.apart {
		return b
	}
	largest := map[string]int64{} // by voter in a group, its largest weight
	for who, positions := range b.ByVoter() {
		if _, ok := bd.terms.groups[who.Name]; ok {
			largest[who.Name] = heaviest(positions)
		}
	}
	for name := range b.may(left) {
		if _, ok := bd.terms.groups[name]; ok {
			largest[name] = max(largest[name], left.weight(name))
		}
	}
	t := *bd.terms
	if as != nil {
		t.groups = maps.Clone(t.groups)
		for voter := range largest {
			t.groups[voter] = as(voter, t.groups[voter])
		}
	}
	t.sums = map[string]int64{}
	for voter, weight := range largest {
		t.sums[t.groups[voter]] += weight
	}
	return b.on(&t)
}

// heaviest returns a voter's largest weight, without abstentions.
func heaviest(positions []Position) (w int64) {
	for _, v := range positions {
		if v.Stance != Abstain {
			w = max(w, fixed(v.Weight))
		}
	}
	return w
}

// share returns the part of a voter's weight that counts.
func (t *terms) share(voter string) float64 {
	group, ok := t.groups[voter]
	if !ok || t.sums[group] <= billion {
		return 1
	}
	return 1 / (1 + defaultWithin*(float64(t.sums[group])/billion-1))
}
