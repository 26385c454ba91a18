package consensus

import (
	"cmp"
	"slices"
)

// Duplicates puts voters whose errors are alike into groups. Two voters are linked if their correlation is
// at least least; a voter's group is the smallest name among those it is connected to over any number of
// links (single linkage: Florek and others, 1951). Voters without a link are not in the result.
// correlation is called once for each pair; NaN is not a link. It takes time quadratic in the voters.
func Duplicates(voters []string, least float64, correlation func(a, b string) float64) map[string]string {
	names := slices.Compact(slices.Sorted(slices.Values(voters)))
	root := make([]int, len(names))
	for i := range root {
		root[i] = i
		for j := range i {
			if correlation(names[j], names[i]) >= least {
				join(root[:i+1], root[i], root[j])
			}
		}
	}
	groups := map[string]string{}
	for i, r := range root {
		if r != i {
			groups[names[i]], groups[names[r]] = names[r], names[r]
		}
	}
	return groups
}

// join merges two groups under the smaller root.
func join(root []int, a, b int) {
	for i, r := range root {
		if r == a || r == b {
			root[i] = min(a, b)
		}
	}
}

// Collapse merges the votes of each group, so that copies of a voter count once. The group's votes on a
// proposal become one vote, in the name of the smallest of the members who voted at all, at their mean
// position: agreement counts as the weight, disagreement as minus the weight, and abstentions count only if
// there is nothing else. A mean above 0 agrees with that weight, one below 0 disagrees, and 0 abstains. The
// vote has the members' highest Seq and least causal level, and the Reasoning and Expected of the member
// nearest to the mean. A voter's own votes count as in [Vote]; those of voters without a group are
// unchanged. The result is sorted by Seq, voter and proposal, and does not depend on the order of the
// votes.
//
// A group of identical voters becomes one of them. A split group has little weight, and none if it is
// split evenly.
func Collapse(votes []Vote, groups map[string]string) []Vote {
	var kept []Vote
	voices, names := map[voice][]Vote{}, map[string]string{}
	for _, v := range lastWords(votes) {
		g, ok := groups[v.Voter]
		if !ok {
			kept = append(kept, v)
			continue
		}
		if name, seen := names[g]; !seen || v.Voter < name {
			names[g] = v.Voter
		}
		voices[voice{g, v.ProposalID}] = append(voices[voice{g, v.ProposalID}], v)
	}
	for at, said := range voices {
		kept = append(kept, meanOf(said, names[at.who]))
	}
	slices.SortFunc(kept, comparePlace)
	return kept
}

// voice is a voter or a group, on a proposal.
type voice struct{ who, proposal string }

// lastWords keeps the votes that count, sorted by voter and proposal.
func lastWords(votes []Vote) []Vote {
	sorted := slices.Clone(votes)
	slices.SortFunc(sorted, func(a, b Vote) int {
		return cmp.Or(cmp.Compare(a.Voter, b.Voter), cmp.Compare(a.ProposalID, b.ProposalID), -compareClaim(&a, &b))
	})
	return slices.CompactFunc(sorted, func(a, b Vote) bool { return a.Voter == b.Voter && a.ProposalID == b.ProposalID })
}

// position is a vote as a number.
func (v *Vote) position() int64 {
	switch v.Stance {
	case Agree:
		return fixed(v.Weight)
	case Disagree:
		return -fixed(v.Weight)
	default:
		return 0
	}
}

// meanOf merges a group's votes on one proposal into one.
func meanOf(votes []Vote, name string) Vote {
	spoke := slices.DeleteFunc(slices.Clone(votes), func(v Vote) bool { return v.Stance == Abstain })
	if len(spoke) == 0 {
		spoke = votes
	}
	sum := int64(0)
	for i := range spoke {
		sum += spoke[i].position()
	}
	mean := sum / int64(len(spoke))
	one := slices.MinFunc(spoke, func(a, b Vote) int {
		return cmp.Or(cmp.Compare(distance(&a, mean), distance(&b, mean)), cmp.Compare(a.Voter, b.Voter))
	})
	for i := range votes {
		one.Seq = max(one.Seq, votes[i].Seq)
		one.CausalLevel = min(one.CausalLevel, votes[i].CausalLevel)
	}
	one.Voter = name
	one.take(mean)
	return one
}

func distance(v *Vote, mean int64) int64 { return max(v.position()-mean, mean-v.position()) }

// take gives a vote a position. A vote that has it already is left unchanged,
// because at weight 0 the stance still matters.
func (v *Vote) take(mean int64) {
	if v.position() == mean {
		return
	}
	v.Weight = float64(max(mean, -mean)) / billion
	switch {
	case mean > 0:
		v.Stance = Agree
	case mean < 0:
		v.Stance = Disagree
	default:
		v.Stance = Abstain
	}
}
