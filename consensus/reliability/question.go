package reliability

import (
	"cmp"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// kind is what decisions are between, as stated in [Options].
type kind struct {
	stances bool
	choices []string // nil: each decision has its own proposals
}

// own reports whether each decision has its own proposals.
func (k kind) own() bool { return !k.stances && len(k.choices) == 0 }

// strange reports whether there are shared choices and a proposal is none of them.
func (k kind) strange(proposals ...string) bool {
	return len(k.choices) > 0 && slices.ContainsFunc(proposals, func(p string) bool { return !slices.Contains(k.choices, p) })
}

// columns returns how many different things the votes of all decisions can say, or 1 if that differs.
func (k kind) columns() int {
	if k.stances {
		return 2
	}
	return max(1, len(k.choices))
}

// field returns how many candidates there are in a decision with so many proposals that have votes.
func (k kind) field(proposals int) int {
	if k.own() {
		return proposals + 1
	}
	return k.columns()
}

// question is a decision as a fit sees it. Where decisions have their own proposals, the candidates are those that
// a voter is for or against, sorted by name, and "none of these". With stances, candidate 0 is that the proposal is
// right, and candidate 1 that it is wrong.
type question struct {
	fit.Votes
	places []int // by proposal with votes, its index in [consensus.Ballots.Proposals]
	times  map[vote]int64
}

// vote is a vote for one candidate. Those of voters with the same number who say the same are one vote.
type vote struct {
	voter, said int32
	stated      float64
}

// fraction is the unit in which voters are counted, because sums of integers do not depend on the order.
const fraction = 1 << 40

// reader turns ballots into questions. number returns the number of a voter and for how many it counts, in fractions.
type reader struct {
	kind
	b      consensus.Ballots
	number func(who consensus.Bloc) (voter int32, times int64)
}

// questions returns one question, or with stances one for each proposal that has votes.
func (r *reader) questions() (qs []*question) {
	proposals := r.b.Proposals()
	places := r.spoken(proposals)
	each := len(places)
	if r.stances {
		each = 1
	}
	for about := range slices.Chunk(places, max(1, each)) {
		v := fit.Votes{Field: r.field(len(about)), Known: -1}
		qs = append(qs, &question{Votes: v, places: about, times: map[vote]int64{}})
	}
	for who, votes := range r.b.ByVoter() {
		if votes = r.counted(votes); len(votes) == 0 {
			continue
		}
		voter, times := r.number(who)
		if !r.stances {
			among, weight := r.ballot(votes, places, proposals)
			for _, c := range among {
				qs[0].times[vote{voter, c, weight}] += times / int64(len(among))
			}
			continue
		}
		for _, v := range votes {
			q := qs[slices.Index(places, v.Proposal)]
			q.times[vote{voter, int32(v.Stance - consensus.Agree), v.Weight}] += times
		}
	}
	for _, q := range qs {
		q.order()
	}
	return qs
}

// spoken returns the votes that are not abstentions.
func spoken(votes []consensus.Position) []consensus.Position {
	return slices.DeleteFunc(slices.Clone(votes), func(v consensus.Position) bool { return v.Stance == consensus.Abstain })
}

// counted returns the votes that count: without abstentions and, where at most one proposal is right, without those of
// a voter who is for a proposal against others, since they add nothing.
func (k kind) counted(votes []consensus.Position) []consensus.Position {
	counted := spoken(votes)
	if k.stances || !slices.ContainsFunc(counted, agrees) {
		return counted
	}
	return slices.DeleteFunc(counted, func(v consensus.Position) bool { return !agrees(v) })
}

func agrees(v consensus.Position) bool { return v.Stance == consensus.Agree }

// spoken returns the indices of the proposals that a voter is for or against, sorted by name.
func (r *reader) spoken(proposals []string) (places []int) {
	for _, votes := range r.b.ByVoter() {
		for _, v := range r.counted(votes) {
			if !slices.Contains(places, v.Proposal) {
				places = append(places, v.Proposal)
			}
		}
	}
	slices.SortFunc(places, func(x, y int) int { return cmp.Compare(proposals[x], proposals[y]) })
	return places
}

// ballot merges a voter's votes into one, which is divided between the candidates that it allows: those it agrees with
// or, if there are none, those it does not reject. Its weight is the largest of these votes.
func (r *reader) ballot(votes []consensus.Position, places []int, proposals []string) (among []int32, weight float64) {
	for _, v := range votes {
		c := slices.Index(places, v.Proposal)
		if !r.own() {
			c = slices.Index(r.choices, proposals[v.Proposal])
		}
		among, weight = append(among, int32(c)), max(weight, v.Weight)
	}
	if agrees(votes[0]) {
		return among, weight
	}
	var rest []int32
	for c := range int32(r.field(len(places))) {
		if !slices.Contains(among, c) {
			rest = append(rest, c)
		}
	}
	return rest, weight
}

// order lists the votes in an order that does not depend on when they were cast.
func (q *question) order() {
	for _, v := range slices.SortedFunc(maps.Keys(q.times), func(x, y vote) int {
		return cmp.Or(cmp.Compare(x.voter, y.voter), cmp.Compare(x.said, y.said), cmp.Compare(x.stated, y.stated))
	}) {
		q.Voter, q.Said = append(q.Voter, v.voter), append(q.Said, v.said)
		q.Stated, q.Times = append(q.Stated, v.stated), append(q.Times, float64(q.times[v])/fraction)
	}
}
