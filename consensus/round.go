package consensus

import (
	"cmp"
	"slices"
)

// Round is a decision in progress: proposals and votes are added one by one, in any order, and after each
// one [Round.Decision] equals what the strategy decides on [Round.Ballots]. A vote takes constant time, or
// time logarithmic in the voter's votes once that voter has lowered its greatest weight. A proposal takes
// constant time, or a pass over the votes if there are already votes on it or reliabilities have been
// learned. Memory grows with the proposals, the voters and the number of proposals that each has voted on,
// not with the number of votes. A Round is not safe for concurrent use; the decisions it returns are.
//
// For strategies other than this package's own, made with [Func] or otherwise, ballots are built anew
// after each change. A [Knower] is spared that: a vote then takes time linear in its voter's votes.
type Round struct {
	strategy Strategy
	closed   bool
	asked    *Decision // of a custom strategy, since the last change
	board    board
	stale    bool             // board.odds is
	slots    map[string]int32 // by every proposal ever named
	place    []int32          // by slot: among the known proposals, or -1
	waiting  []int32          // by slot: votes that arrived before the proposal
	people   map[string]int32
	persons  []person
	cells    map[uint64]int32 // by person and slot
	votes    []cell
	log      []entry
	shared   bool // a decision refers to log
	census   *census
}

// person holds a voter's sums over its votes on known proposals.
type person struct {
	name     string
	level    int32
	outsider bool
	rate     rate
	newest   int32 // its cells, linked by older
	bloc     *bloc
	claims   *peak // of its cells, once it has lowered the greatest of several
	sums
}

// cell is a person's vote on a proposal, of which log holds the text.
type cell struct {
	person, slot int32
	older        int32
	nth          int32 // among the person's, from 0
	earlier      int32 // votes it has superseded
	mark
}

// NewRound opens a round; a nil strategy means [Default]. It returns a wrapped [*FieldError] for an option
// out of range.
func NewRound(s Strategy, o *Options) (*Round, error) {
	t, err := newTerms(o)
	if err != nil {
		return nil, err
	}
	s = cmp.Or(s, Default())
	r := &Round{
		strategy: s, slots: map[string]int32{}, people: map[string]int32{}, cells: map[uint64]int32{},
		board: board{terms: t, from: source{terms: t}},
	}
	r.board.odds = r.board.newPosterior(1)
	r.census = newCensus(s, t)
	if n := len(t.levels); n > 1 {
		r.board.levels = make([]tally, n)
	}
	return r, nil
}

// Propose adds a proposal. Adding one again changes nothing; an empty id is refused with a wrapped
// [*FieldError], anything after [Round.Close] with [ErrClosed]. Earlier votes on it count from now on.
func (r *Round) Propose(id string) error {
	if r.closed {
		return ErrClosed
	}
	if err := validProposal(id); err != nil {
		return err
	}
	s := r.slot(id)
	if r.place[s] >= 0 {
		return nil
	}
	r.asked = nil
	r.place[s] = int32(len(r.board.from.proposals))
	r.board.from.proposals = append(r.board.from.proposals, id)
	r.stale = true
	r.board.total.counts = append(r.board.total.counts, count{})
	for i := range r.board.levels {
		r.board.levels[i].counts = append(r.board.levels[i].counts, count{})
	}
	if r.waiting[s] > 0 || r.board.learned() {
		r.recount()
	}
	return nil
}

// SetQuorum changes the quorum, at least 1, for callers that do not know beforehand who will vote.
// Decisions returned before do not change.
func (r *Round) SetQuorum(n int) {
	t := *r.board.terms
	t.quorum = max(1, n)
	r.board.terms, r.board.from.terms, r.asked = &t, &t, nil
}

// Close ends voting: from now on the decision is not [Pending]. It may be called more than once.
func (r *Round) Close() { r.closed, r.asked = true, nil }

// Closed reports whether voting is closed.
func (r *Round) Closed() bool { return r.closed }

// Decision returns the current decision. It takes time linear in the proposals,
// not in the votes.
func (r *Round) Decision() (d Decision) {
	if r.asked != nil {
		return *r.asked
	}
	r.expose()
	if r.stale {
		r.board.odds, r.stale = r.board.newPosterior(r.board.discount()), false
	}
	if s := asBuiltin(r.strategy); s != nil {
		r.board.decide(s, r.closed, &d)
		return d
	}
	return r.ask()
}

// ask is apart from Decision because it keeps a pointer to the decision, which would put every decision on the heap.
func (r *Round) ask() Decision {
	b := Ballots{rec: r.board.from.record(), closed: r.closed}
	if r.census != nil {
		b = Ballots{early: &counted{r.board, r.persons, r.census.blocs}, closed: r.closed}
	}
	d := r.strategy.Decide(b)
	r.asked = &d
	return d
}

// Ballots returns the votes so far. It takes time linear in the votes.
func (r *Round) Ballots() Ballots {
	r.expose()
	return Ballots{rec: r.board.from.record(), closed: r.closed}
}

// expose lets returned values refer to the log, which from now on only grows.
func (r *Round) expose() {
	r.board.from.log, r.shared = slices.Clip(r.log), true
}

// Vote adds a vote, or returns the error of [Vote.Validate] or [ErrClosed]; a refused vote changes
// nothing.
func (r *Round) Vote(v Vote) error {
	if r.closed {
		return ErrClosed
	}
	if err := v.Validate(); err != nil {
		return err
	}
	r.asked = nil
	s, p := r.slot(v.ProposalID), r.person(v.Voter)
	at := int32(len(r.log))
	c, again := r.cell(p, s)
	r.log = append(r.log, entry{Vote: v, cell: c})
	if again {
		r.votes[c].earlier++
		if compareClaim(&v, &r.log[r.votes[c].entry].Vote) <= 0 {
			r.compact()
			return nil
		}
	}
	r.replace(&r.votes[c], r.persons[p].rate.mark(at, r.place[s], &v))
	r.move(p)
	r.compact()
	return nil
}

// cell returns the index of the person's vote on the proposal, and whether there was one before.
// Most voters vote again on what they voted on last, which saves a look-up.
func (r *Round) cell(p, s int32) (c int32, again bool) {
	newest := r.persons[p].newest
	if newest >= 0 && r.votes[newest].slot == s {
		return newest, true
	}
	key := uint64(p)<<32 | uint64(s)
	if c, again = r.cells[key]; again {
		return c, true
	}
	c = int32(len(r.votes))
	r.cells[key] = c
	nth := int32(0)
	if newest >= 0 {
		nth = r.votes[newest].nth + 1
	}
	r.votes = append(r.votes, cell{person: p, slot: s, older: newest, nth: nth})
	r.persons[p].newest = c
	if r.place[s] < 0 {
		r.waiting[s]++
	}
	return c, false
}

// slot returns the proposal's slot, whether or not it has been made.
func (r *Round) slot(id string) int32 {
	s, ok := r.slots[id]
	if !ok {
		s = int32(len(r.place))
		r.slots[id] = s
		r.place, r.waiting = append(r.place, -1), append(r.waiting, 0)
	}
	return s
}

func (r *Round) person(name string) int32 {
	p, ok := r.people[name]
	if !ok {
		p = int32(len(r.persons))
		r.people[name] = p
		t := r.board.terms
		r.persons = append(r.persons, person{
			name: name, level: t.level(name), outsider: !t.mayVote(name), newest: -1,
			rate: t.rate(name, len(r.board.from.proposals)),
		})
	}
	return p
}

// compact drops superseded votes, keeping their number, once they are most of the log. A log that
// decisions refer to is not modified but replaced.
func (r *Round) compact() {
	room := 2*len(r.votes) + 64
	if len(r.log) < room {
		return
	}
	live := r.log[:0]
	if r.shared {
		live = make([]entry, 0, room)
	}
	for i := range r.log {
		if c := &r.votes[r.log[i].cell]; c.entry == int32(i) {
			c.entry = int32(len(live))
			live = append(live, r.log[i])
			live[c.entry].earlier = c.earlier
		}
	}
	r.log, r.shared = live, false
}

// recount counts all votes anew, after new proposals have changed what they
// mean.
func (r *Round) recount() {
	r.board.total.reset()
	for i := range r.board.levels {
		r.board.levels[i].reset()
	}
	for i := range r.persons {
		p := &r.persons[i]
		p.sums, p.claims = sums{}, nil
		p.rate = r.board.terms.rate(p.name, len(r.board.from.proposals))
	}
	clear(r.waiting)
	for i := range r.votes {
		c := &r.votes[i]
		m := r.persons[c.person].rate.mark(c.entry, r.place[c.slot], &r.log[c.entry].Vote)
		c.mark = mark{}
		if m.proposal < 0 {
			r.waiting[c.slot]++
		}
		r.replace(c, m)
	}
	for i := range r.persons {
		r.move(int32(i))
	}
}
