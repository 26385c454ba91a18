package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// A clear majority decides: where no known outcome says otherwise, nothing that is inferred from votes keeps open or
// turns what at least clearVoters decide with clearShare of the weight, and nothing keeps open what two voters or more
// decide with all of it.
const (
	clearVoters = 4
	clearShare  = 0.8
)

// majority is the proposal with the most weight, its share of the weight that was not abstained, and that weight. The share is
// 0 if fewer than clearVoters are for it, unless they are several and all of the weight is.
type majority struct {
	place         int // of the proposal, or of none if most is against all of them
	voters        int // for it
	share, weight float64
}

// clearMajority returns the majority, with a share of 0 if it is not clear.
func (r *reading) clearMajority() majority {
	m := majorityOf(r.b, nil, 0)
	if m.share < clearShare || r.outcomesAgainst(m.place) {
		m.share = 0
	}
	return m
}

// raise raises the probability of a proposal, or of none, to at least the given one.
func (p pooled) raise(place int, to float64) {
	if p[place] < to {
		p.scale((1 - to) / (1 - p[place]))
		p[place] = to
	}
}

// majorityOf returns the majority in the votes of all but some voters, with other weight added to the whole.
func majorityOf(b consensus.Ballots, without map[string]bool, more float64) majority {
	favour, voters, all := favours(b, without)
	all += int64(math.Round(more * fraction))
	m := majority{place: slices.Index(favour, slices.Max(favour)), weight: float64(all) / fraction}
	if n := voters[m.place]; all > 0 && (n >= clearVoters || n > 1 && favour[m.place] == all) {
		m.share, m.voters = float64(favour[m.place])/float64(all), n
	}
	return m
}

// favours returns the weight for each proposal and, last, of those who are against all of them, how many voters they
// are, and the whole weight.
func favours(b consensus.Ballots, without map[string]bool) (favour []int64, voters []int, all int64) {
	n := len(b.Proposals())
	favour, voters = make([]int64, n+1), make([]int, n+1)
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
	return favour, voters, all
}

// outcomesAgainst reports whether known outcomes speak for another answer: whether those who are now against the majority
// were right more often than it, where the two sides differed before.
func (r *reading) outcomesAgainst(place int) bool {
	at := slices.IndexFunc(r.questions, func(q *question) bool { return !r.m.kind.stances || place == r.none() || q.places[0] == place })
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

// The sides of a decision. Newcomers, who share a number, and voters who divided a ballot may be on both.
const (
	forIt     int8 = 1
	againstIt int8 = 2
)

// plurality returns the most frequent answer of one side in a decision, or -1 if there is no single one.
func plurality(v fit.Votes, sides []int8, side int8) int32 {
	count := make([]int, v.Field)
	for i, j := range v.Voter {
		if sides[j] == side {
			count[v.Said[i]]++
		}
	}
	return fit.Plurality(count)
}
