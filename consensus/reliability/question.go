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
	choices map[string]int32 // numbers of the shared choices; nil: each decision has its own proposals
}

func newKind(o *Options) kind {
	k := kind{stances: o.Stances}
	if len(o.Choices) > 0 {
		k.choices = make(map[string]int32, len(o.Choices))
		for i, c := range o.Choices {
			k.choices[c] = int32(i)
		}
	}
	return k
}

// own reports whether each decision has its own proposals.
func (k kind) own() bool { return !k.stances && k.choices == nil }

// strange reports whether there are shared choices and a proposal is none of them.
func (k kind) strange(proposals []string) bool {
	return k.choices != nil && slices.ContainsFunc(proposals, func(p string) bool {
		_, ok := k.choices[p]
		return !ok
	})
}

// columns returns how many different things the votes of all decisions can say, or 1 if that differs.
func (k kind) columns() int {
	switch {
	case k.stances:
		return 2
	case k.own():
		return 1
	default:
		return len(k.choices)
	}
}

// question is a decision as a fit sees it. Where decisions have their own proposals, the candidates are those that
// somebody is for or against, sorted by name, and "none of these". With stances, candidate 0 is that the proposal is
// right, and candidate 1 that it is wrong.
type question struct {
	fit.Votes
	places []int    // by proposal with votes, its index in [consensus.Ballots.Proposals]
	names  []string // and its name
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
func (r *reader) questions() []*question {
	proposals := r.b.Proposals()
	places := r.spoken(proposals)
	if r.stances {
		return r.stanceQuestions(proposals, places)
	}
	q, number := &question{places: places}, make([]int32, len(proposals))
	for c, place := range places {
		q.names = append(q.names, proposals[place])
		number[place] = int32(c)
	}
	q.Field, q.Known = len(places)+1, -1
	if !r.own() {
		q.Field = len(r.choices)
		for place, name := range proposals {
			number[place] = r.choices[name]
		}
	}
	a := newAdding(q)
	for who, votes := range r.b.ByVoter() {
		if among, weight := ballot(votes, number, q.Field); len(among) > 0 {
			voter, times := r.number(who)
			for _, c := range among {
				a.add(vote{voter, c, weight}, times/int64(len(among)))
			}
		}
	}
	a.done()
	return []*question{q}
}

func (r *reader) stanceQuestions(proposals []string, places []int) []*question {
	qs, adding := make([]*question, len(places)), make([]*adding, len(proposals))
	for i, place := range places {
		qs[i] = &question{Votes: fit.Votes{Field: 2, Known: -1}, places: places[i : i+1], names: []string{proposals[place]}}
		adding[place] = newAdding(qs[i])
	}
	for who, votes := range r.b.ByVoter() {
		var voter int32
		var times int64
		for i, v := range spoken(votes) {
			if i == 0 {
				voter, times = r.number(who)
			}
			said := int32(0)
			if v.Stance == consensus.Disagree {
				said = 1
			}
			adding[v.Proposal].add(vote{voter, said, v.Weight}, times)
		}
	}
	for _, place := range places {
		adding[place].done()
	}
	return qs
}

// spoken returns the votes that are not abstentions.
func spoken(votes []consensus.Position) []consensus.Position {
	return slices.DeleteFunc(slices.Clone(votes), func(v consensus.Position) bool { return v.Stance == consensus.Abstain })
}

// spoken returns the indices of the proposals that somebody is for or against, sorted by name. Where at most one is
// right, a voter who is for a proposal adds nothing by rejecting others.
func (r *reader) spoken(proposals []string) []int {
	is := make([]bool, len(proposals))
	for _, votes := range r.b.ByVoter() {
		agrees := slices.ContainsFunc(votes, func(v consensus.Position) bool { return v.Stance == consensus.Agree })
		for _, v := range votes {
			if v.Stance == consensus.Agree || v.Stance == consensus.Disagree && (r.stances || !agrees) {
				is[v.Proposal] = true
			}
		}
	}
	var places []int
	for i, x := range is {
		if x {
			places = append(places, i)
		}
	}
	slices.SortFunc(places, func(x, y int) int { return cmp.Compare(proposals[x], proposals[y]) })
	return places
}

// ballot merges a voter's votes into one, which is divided between the candidates that it allows: those it agrees with
// or, if there are none, those it does not reject. Its weight is the largest of these votes.
func ballot(votes []consensus.Position, number []int32, field int) (among []int32, weight float64) {
	for _, stance := range []consensus.Stance{consensus.Agree, consensus.Disagree} {
		for _, v := range votes {
			if v.Stance == stance {
				among = append(among, number[v.Proposal])
				weight = max(weight, v.Weight)
			}
		}
		if len(among) == 0 {
			continue
		}
		if stance == consensus.Disagree {
			return others(among, field), weight
		}
		return among, weight
	}
	return nil, 0
}

// others returns the candidates that are not among the given ones.
func others(among []int32, field int) (rest []int32) {
	for c := range int32(field) {
		if !slices.Contains(among, c) {
			rest = append(rest, c)
		}
	}
	return rest
}

// adding collects the votes of a question. Those of voters with the same number who say the same are one vote.
type adding struct {
	q     *question
	times map[vote]int64
}

type vote struct {
	voter, said int32
	stated      float64
}

func newAdding(q *question) *adding { return &adding{q, map[vote]int64{}} }

func (a *adding) add(v vote, times int64) { a.times[v] += times }

// done puts the votes in an order that does not depend on when they were cast.
func (a *adding) done() {
	q := a.q
	for _, v := range slices.SortedFunc(maps.Keys(a.times), func(x, y vote) int {
		return cmp.Or(cmp.Compare(x.voter, y.voter), cmp.Compare(x.said, y.said), cmp.Compare(x.stated, y.stated))
	}) {
		q.Voter, q.Said = append(q.Voter, v.voter), append(q.Said, v.said)
		q.Stated, q.Times = append(q.Stated, v.stated), append(q.Times, float64(a.times[v])/fraction)
	}
}
