package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// A clear majority decides: where no known outcome says otherwise, nothing that is inferred from votes keeps open or
// turns what at least clearVoters decide with clearShare of the weight.
const (
	clearVoters = 4
	clearShare  = 0.8
)

// clarity is what a clear majority is for, and its share of the weight; the share is 0 if there is none.
type clarity struct {
	place int
	share float64
}

func (r *reading) clearMajority() clarity {
	place, share := majority(r.b, nil, 0)
	if share < clearShare || r.outcomesAgainst(place) {
		return clarity{}
	}
	return clarity{place, share}
}

// raise raises the probability of a proposal, or of none for -1, to at least the given one.
func (p *pooled) raise(place int, to float64) {
	if p.of(place) >= to {
		return
	}
	p.scale((1 - to) / (1 - p.of(place)))
	if place < 0 {
		p.none = to
	} else {
		p.each[place] = to
	}
}

// majority returns the proposal with the greatest share of the weight that was not abstained, or -1 if most is against
// all of them, and that share: 0 if fewer than clearVoters are for it. The votes of some voters may be left out, and
// other weight be added to the whole.
func majority(b consensus.Ballots, without map[string]bool, more float64) (place int, share float64) {
	n := len(b.Proposals())
	favour, voters := make([]int64, n+1), make([]int, n+1) // last of those who are against all proposals
	all := int64(math.Round(more * fraction))
	for who, votes := range b.ByVoter() {
		if without[who.Name] {
			continue
		}
		most, rejected := int64(0), 0
		for _, v := range spoken(votes) {
			weight := int64(who.N) * int64(math.Round(v.Weight*who.Share*fraction))
			most = max(most, weight)
			if v.Stance == consensus.Disagree {
				rejected++
				continue
			}
			favour[v.Proposal] += weight
			voters[v.Proposal] += who.N
		}
		if rejected == n {
			favour[n] += most
			voters[n] += who.N
		}
		all += most
	}
	place = slices.Index(favour, slices.Max(favour))
	if all == 0 || voters[place] < clearVoters {
		return -1, 0
	}
	share = float64(favour[place]) / float64(all)
	if place == n {
		place = -1
	}
	return place, share
}

// outcomesAgainst reports whether known outcomes speak for another answer: whether those who are now against the majority
// were right more often than it, where the two sides differed before.
func (r *reading) outcomesAgainst(place int) bool {
	at := slices.IndexFunc(r.questions, func(q *question) bool { return !r.m.kind.stances || place < 0 || q.places[0] == place })
	if at < 0 || len(r.m.past.known) == 0 {
		return false
	}
	q, sides := r.questions[at], make([]int8, len(r.m.names)+1)
	for i, j := range q.Voter {
		if r.place(q, q.Said[i]) == place {
			sides[j] |= forIt
		} else {
			sides[j] |= againstIt
		}
	}
	if !slices.Contains(sides, againstIt) {
		return false
	}
	mine, theirs := 0, 0
	for _, v := range r.m.past.known {
		switch a, b := plurality(v, sides, forIt), plurality(v, sides, againstIt); {
		case a < 0 || b < 0 || a == b:
		case a == v.Known:
			mine++
		case b == v.Known:
			theirs++
		}
	}
	return theirs > mine
}

// The sides of a decision. Newcomers, who share a number, and whoever divided a ballot may be on both.
const (
	forIt     int8 = 1
	againstIt int8 = 2
)

// plurality returns what most of one side said in a decision, or -1 if that is not one thing.
func plurality(v fit.Votes, sides []int8, side int8) int32 {
	count := make([]int, v.Field)
	for i, j := range v.Voter {
		if sides[j] == side {
			count[v.Said[i]]++
		}
	}
	return lead(count)
}
