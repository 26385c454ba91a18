package consensus

import (
	"math"
	"slices"
)

// billion is the unit of weights and evidence. Sums of integer billionths are exact, so they do not
// depend on the order in which votes arrive, and a decimal weight such as 0.7 is represented exactly:
// seven tenths of a weight meet a threshold of 0.7.
const billion = 1e9

func fixed(x float64) int64 { return int64(math.Round(x * billion)) }

// mark is a vote that counts, with its names interned.
type mark struct {
	entry    int32
	proposal int32
	stance   Stance
	weight   int64
	evidence int64 // only with learned reliabilities
}

// voter is a run of marks of one voter, on distinct proposals.
type voter struct {
	from, to int32
	level    int32
}

// record is the content of ballots. It is never modified once built.
type record struct {
	board
	proposals []string
	entries   []entry
	marks     []mark // grouped by voter
	voters    []voter
	uncounted []Uncounted
}

var emptyRecord = newRecord(defaultTerms, nil, nil, nil)

func indexOf(names []string) map[string]int32 {
	index := make(map[string]int32, len(names))
	for i, name := range names {
		index[name] = int32(i)
	}
	return index
}

// newRecord interns names, groups votes by voter, and keeps the one that counts of each voter's votes
// on a proposal. known maps proposals to their indices.
func newRecord(t *terms, proposals []string, known map[string]int32, entries []entry) *record {
	r := &record{proposals: proposals, entries: entries}
	r.terms, r.from = t, source{rec: r, terms: t, proposals: proposals}
	s := newSorting(known, entries)
	r.marks = make([]mark, 0, len(entries))
	r.voters = make([]voter, 0, len(s.ends))
	from := int32(0)
	for _, to := range s.ends {
		r.addVoter(s, s.order[from:to])
		from = to
	}
	slices.SortFunc(r.uncounted, compareUncounted)
	r.count()
	r.odds = r.newPosterior(r.discount())
	return r
}

// addVoter adds one voter's votes, given as indices of entries.
func (r *record) addVoter(s *sorting, votes []int32) {
	s.byProposal(votes)
	name := r.entries[votes[0]].Voter
	eligible := r.terms.mayVote(name)
	rate := r.terms.rate(name, len(r.proposals))
	v := voter{from: int32(len(r.marks))}
	for len(votes) > 0 {
		n, cast := s.sameProposal(votes)
		e, p := votes[0], s.proposal[votes[0]]
		votes = votes[n:]
		switch {
		case !eligible:
			r.leaveOut(e, NotEligible, cast)
		case int(p) >= len(r.proposals):
			r.leaveOut(e, UnknownProposal, cast)
		default:
			r.marks = append(r.marks, rate.mark(e, p, &r.entries[e].Vote))
			r.leaveOut(e, Superseded, cast-1)
		}
	}
	if v.to = int32(len(r.marks)); v.to > v.from {
		v.level = r.terms.level(name)
		r.voters = append(r.voters, v)
	}
}

func (r *record) leaveOut(e int32, why Cause, votes int) {
	if votes > 0 {
		v := &r.entries[e].Vote
		r.uncounted = append(r.uncounted, Uncounted{v.Voter, v.ProposalID, why, votes})
	}
}

// counted returns the votes that count, ordered by [comparePlace].
func (r *record) counted() []Vote {
	votes := make([]Vote, len(r.marks))
	for i, m := range r.marks {
		votes[i] = r.entries[m.entry].Vote
	}
	slices.SortFunc(votes, comparePlace)
	return votes
}

// count fills the tallies: ballots are decided on more often than they are built.
func (r *record) count() {
	k, n := len(r.proposals), 0
	if len(r.terms.levels) > 1 {
		n = len(r.terms.levels)
		r.levels = make([]tally, n)
	}
	counts := make([]count, k*(n+1))
	r.total.counts = counts[:k:k]
	for i := range r.voters {
		r.voters[i].countInto(&r.total, r.marks)
	}
	for l := range r.levels {
		r.levels[l].counts = counts[k*(l+1):][:k:k]
	}
	if r.levels == nil {
		return
	}
	for i := range r.voters {
		r.voters[i].countInto(&r.levels[r.voters[i].level], r.marks)
	}
}

// countInto adds one voter's votes.
func (v *voter) countInto(t *tally, all []mark) {
	var s sums
	marks := all[v.from:v.to]
	for i := range marks {
		t.counts[marks[i].proposal].add(&marks[i], 1)
		s.add(&marks[i], 1)
	}
	t.add(&s, 1)
}
