package consensus

import "maps"

// Sharing returns the same ballots with the votes of each group of [Options.Groups] counted for what voters with one
// source of error are worth: their weights are divided by the group's design effect, 1 + 0.5·(w − 1) for the sum w
// of its voters' largest weights, if that is above 1 (Kish, 1965). However many vote, a group has the weight of less
// than two voters. as names the group with which each of its voters counts; nil means its own. Where all voters in
// the options are of one group, that sets nobody apart, and the ballots stay as they are.
//
// left is who may still vote: weights are what they are once all of these have voted with the greatest weight
// they may. What [ConfidenceWeighted] decides on such ballots and is [Settled], no vote of theirs can change. It costs as much as building
// the ballots.
func (b Ballots) Sharing(as func(voter, group string) string, left Left) Ballots {
	bd := b.board()
	if !bd.terms.apart {
		return b
	}
	largest := map[string]int64{} // of those in a group
	for who, said := range b.ByVoter() {
		if _, ok := bd.terms.groups[who.Name]; ok {
			largest[who.Name] = heaviest(said)
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
func heaviest(said []Said) (w int64) {
	for _, v := range said {
		if v.Stance != Abstain {
			w = max(w, fixed(v.Weight))
		}
	}
	return w
}

// share is the part of a voter's weight that counts.
func (t *terms) share(voter string) float64 {
	group, ok := t.groups[voter]
	if !ok || t.sums[group] <= billion {
		return 1
	}
	return 1 / (1 + DefaultWithin*(float64(t.sums[group])/billion-1))
}
