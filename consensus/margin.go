package consensus

import (
	"cmp"
	"maps"
	"slices"
	"sort"
)

// Margin returns the smallest set of voters, those of the greatest weight first, who could have made a decision fall by
// voting against the choice and for one of its rivals, each with the weight that it has: [Decision.Falls]. Voters who
// only abstained do not count. It returns nil unless the strategy reaches a choice on the ballots with voting closed.
// Up to 12 voters no smaller set exists; among more, that holds where each one's weight counts by itself, as with
// [Voting] and [ConfidenceWeighted].
func Margin(s Strategy, b Ballots) (least []string) {
	b = b.Close()
	choice := s.Decide(b).Choice
	if choice == "" {
		return nil
	}
	weights := map[string]float64{}
	for v := range b.Votes() {
		if v.Stance != Abstain {
			weights[v.Voter] = max(weights[v.Voter], v.Weight)
		}
	}
	r := b.record()
	voters := slices.SortedFunc(maps.Keys(weights), func(x, y string) int { return cmp.Or(cmp.Compare(weights[y], weights[x]), cmp.Compare(x, y)) })
	for _, rival := range rivals(b, choice) {
		least = Coalition(voters, least, func(who []string) bool {
			return s.Decide(Ballots{rec: r.against(choice, rival, who, weights), closed: true}).Choice != choice
		})
	}
	return least
}

// rivals returns the proposals, but for the choice, that have the most weight, and "" for none of them.
func rivals(b Ballots, choice string) []string {
	all := slices.DeleteFunc(b.Tallies(), func(t Tally) bool { return t.ProposalID == choice })
	slices.SortStableFunc(all, func(x, y Tally) int { return cmp.Compare(y.For, x.For) })
	names := []string{""}
	for _, t := range all[:min(len(all), searched)] {
		names = append(names, t.ProposalID)
	}
	return names
}

// against returns the record after some voters have voted against the choice and for a rival.
func (r *record) against(choice, rival string, who []string, weights map[string]float64) *record {
	changed, entries := set(who), make([]entry, 0, len(r.marks)+2*len(who))
	for _, v := range r.counted() {
		if _, out := changed[v.Voter]; !out {
			entries = append(entries, entry{Vote: v})
		}
	}
	for _, voter := range who {
		entries = append(entries, entry{Vote: Vote{Voter: voter, ProposalID: choice, Stance: Disagree, Weight: weights[voter]}})
		if rival != "" {
			entries = append(entries, entry{Vote: Vote{Voter: voter, ProposalID: rival, Stance: Agree, Weight: weights[voter]}})
		}
	}
	return newRecord(r.terms, r.proposals, indexOf(r.proposals), entries)
}

// searched is the number of voters, and of rivals, of which everything is tried.
const searched = 12

// Coalition returns the smallest set of voters for which something falls, if it is smaller than another set, and else
// that one; of several, the first in the order of the voters. A nil set is the largest. Of more than 12 voters only the
// first ones are tried, so those who have the greatest effect come first.
func Coalition(voters, than []string, falls func(who []string) bool) []string {
	most := len(voters)
	if than != nil {
		most = min(most, len(than)-1)
	}
	if len(voters) > searched {
		n := 1 + sort.Search(most, func(i int) bool { return falls(voters[:i+1]) })
		if n > most {
			return than
		}
		return slices.Clone(voters[:n])
	}
	for n := 1; n <= most; n++ {
		if who := choose(voters, nil, n, falls); who != nil {
			return who
		}
	}
	return than
}

// choose returns the first set of so many voters, with those who are in it already, for which something falls.
func choose(voters, with []string, n int, falls func(who []string) bool) []string {
	if n == 0 {
		if falls(with) {
			return slices.Clone(with)
		}
		return nil
	}
	for i := range len(voters) - n + 1 {
		if who := choose(voters[i+1:], append(with, voters[i]), n-1, falls); who != nil {
			return who
		}
	}
	return nil
}
