package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// A clear majority decides: where no known outcome says otherwise, nothing that is inferred from votes keeps open or
// turns what at least clearVoters decide with clearShare of the weight.
const (
	clearVoters = 4
	clearShare  = 0.8
)

// clearMajority returns what a clear majority is for, and its share of the weight; ok is false if there is none.
func (r *reading) clearMajority() (place int, share float64, ok bool) {
	place, share = majority(r.b, nil, 0)
	return place, share, share >= clearShare && !r.outcomesAgainst(place)
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
// the only one, and that share: 0 if fewer than clearVoters are for it. The votes of some voters may be left out, and
// other weight be added to the whole.
func majority(b consensus.Ballots, without map[string]bool, more float64) (place int, share float64) {
	n := len(b.Proposals())
	favour, voters := make([]int, n+1), make([]int, n+1) // last against the only proposal
	all := int(math.Round(more * fraction))
	for who, votes := range b.ByVoter() {
		if without[who.Name] {
			continue
		}
		most := 0
		for _, v := range spoken(votes) {
			place, weight := v.Proposal, who.N*int(math.Round(v.Weight*who.Share*fraction))
			most = max(most, weight)
			if v.Stance == consensus.Disagree {
				if n > 1 {
					continue
				}
				place = n
			}
			favour[place] += weight
			voters[place] += who.N
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

// outcomesAgainst reports whether known outcomes speak for another answer: whether the voters for another one, by their
// records alone, outweigh those for this one.
func (r *reading) outcomesAgainst(place int) bool {
	if r.m.past.outcomes == 0 {
		return false
	}
	at := slices.IndexFunc(r.questions, func(q *question) bool { return !r.m.kind.stances || place < 0 || q.places[0] == place })
	if at < 0 {
		return false
	}
	q := r.questions[at]
	evidence := make([]float64, q.Field)
	for i, j := range q.Voter {
		said := q.Said[i]
		evidence[said] += q.Times[i] * q.Stated[i] * r.m.past.evidence(j, said)
	}
	mine, most := 0.0, 0.0
	for c, x := range evidence {
		if r.place(q, int32(c)) == place {
			mine = x
		} else {
			most = max(most, x)
		}
	}
	return most > mine
}
