package consensus

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
)

// Knower is a [Strategy] that treats all voters it does not know alike, except for their votes: all it reads
// about voters is [Ballots.ByVoter], and what it passes to [Ballots.WithReliabilities] knows no other voters. A [Round]
// only counts how many unknown voters have voted in each way. A decision then takes time linear in the
// number of voters known to the strategy or to [Options.Reliabilities] and of different ways to vote, not in
// the number of votes. Where [Options.Groups] has several groups, voters in them are counted one by one.
type Knower interface {
	Strategy
	// Knows reports whether the strategy knows the voter. The answer never changes.
	Knows(voter string) bool
}

// Bloc is one voter, or several unknown voters who have voted alike.
type Bloc struct {
	Name  string // "" if there are several
	N     int
	Share float64 // the part of the weight that counts, see [Ballots.WithGroupDiscount]; 1 if there are several
}

// census counts the voters of a round by how they have voted. Known voters are counted one by one.
type census struct {
	strategy  Knower
	blocs     map[string]*bloc
	positions []Position
	key       []byte
}

// bloc is a number of voters who have voted alike.
type bloc struct {
	n, sum    int // how many voters, and the sum of their indices in persons: for a single voter, its index
	key       string
	positions []Position
}

// newCensus returns a census, or nil if voters differ in more than their votes.
func newCensus(s Strategy, t *terms) *census {
	k, ok := s.(Knower)
	if !ok || t.levels != nil {
		return nil
	}
	return &census{strategy: k, blocs: map[string]*bloc{}}
}

// move moves a person to the bloc of its current votes.
func (r *Round) move(at int32) {
	c, p := r.census, &r.persons[at]
	if c == nil || p.outsider {
		return
	}
	if a := p.bloc; a != nil {
		if a.n, a.sum = a.n-1, a.sum-int(at); a.n == 0 {
			delete(c.blocs, a.key)
		}
		p.bloc = nil
	}
	if r.encode(at); len(c.positions) == 0 {
		return
	}
	a := c.blocs[string(c.key)]
	if a == nil {
		a = &bloc{key: string(c.key), positions: slices.Clone(c.positions)}
		c.blocs[a.key] = a
	}
	a.n, a.sum = a.n+1, a.sum+int(at)
	p.bloc = a
}

// encode fills positions with the person's votes on known proposals, and key with their encoding. The keys of known
// voters are four bytes longer than a multiple of thirteen, and so differ from those of all others.
func (r *Round) encode(at int32) {
	c, p := r.census, &r.persons[at]
	c.positions, c.key = c.positions[:0], c.key[:0]
	for i := p.newest; i >= 0; i = r.votes[i].older {
		if m := &r.votes[i].mark; m.stance != 0 && m.proposal >= 0 {
			c.positions = append(c.positions, Position{int(m.proposal), m.stance, r.log[m.entry].Weight})
		}
	}
	slices.SortFunc(c.positions, func(a, b Position) int { return cmp.Compare(a.Proposal, b.Proposal) })
	if r.knows(p.name) {
		c.key = binary.LittleEndian.AppendUint32(c.key, uint32(at))
	}
	for _, v := range c.positions {
		c.key = append(binary.LittleEndian.AppendUint32(c.key, uint32(v.Proposal)), byte(v.Stance))
		c.key = binary.LittleEndian.AppendUint64(c.key, math.Float64bits(v.Weight))
	}
}

func (r *Round) knows(name string) bool {
	t := r.board.terms
	if _, ok := t.groups[name]; ok && t.apart {
		return true
	}
	known := false
	if l := t.learned; l != nil {
		_, known = l.Reliability(name, len(r.board.from.proposals))
	}
	return known || r.census.strategy.Knows(name)
}

// counted is the votes of a round as its census has counted them. Except for its terms and proposals, it is
// valid only until the round changes.
type counted struct {
	board
	persons []person
	blocs   map[string]*bloc
}

func (c *counted) byVoter() iter.Seq2[Bloc, []Position] {
	return func(yield func(Bloc, []Position) bool) {
		for _, a := range c.blocs {
			who := Bloc{N: a.n, Share: 1}
			if a.n == 1 {
				who.Name = c.persons[a.sum].name
				who.Share = c.terms.share(who.Name)
			}
			if !yield(who, a.positions) {
				return
			}
		}
	}
}

// on counts the votes again on other terms.
func (c *counted) on(t *terms) *counted {
	k := *c
	k.terms, k.from.terms = t, t
	k.total = tally{counts: make([]count, len(c.total.counts))}
	for who, positions := range c.byVoter() {
		var all sums
		rate := t.rate(who.Name, len(k.total.counts))
		for _, s := range positions {
			m := rate.mark(0, int32(s.Proposal), &Vote{Stance: s.Stance, Weight: s.Weight})
			all.add(&m, 1)
			k.total.counts[s.Proposal].add(&m, int32(who.N))
		}
		k.total.add(&all, who.N)
	}
	k.odds = k.newPosterior(k.discount())
	return &k
}
