package consensus

import (
	"errors"
	"iter"
	"slices"
)

// Ballots are the votes of one decision together with its options, the input of a [Strategy]. They
// are immutable and safe for concurrent use. Names are interned when they are built, so deciding needs
// no look-ups. The zero value holds no proposals and no votes, with default options.
type Ballots struct {
	rec    *record
	closed bool
	early  *counted // in place of rec, which is then built on demand
}

// NewBallots builds ballots from proposals and votes in any order. Naming a proposal twice changes nothing. A
// vote or proposal that is refused does not affect the others: the error joins a wrapped [*FieldError] for
// each, and the ballots hold the rest. Only invalid options leave the ballots empty.
func NewBallots(o *Options, proposals []string, votes []Vote) (Ballots, error) {
	t, err := newTerms(o)
	if err != nil {
		return Ballots{}, err
	}
	var errs []error
	known := make(map[string]int32, len(proposals))
	names := make([]string, 0, len(proposals))
	for _, p := range proposals {
		if err := validProposal(p); err != nil {
			errs = append(errs, err)
		} else if _, twice := known[p]; !twice {
			known[p] = int32(len(names))
			names = append(names, p)
		}
	}
	entries := make([]entry, 0, len(votes))
	for _, v := range votes {
		if err := v.Validate(); err != nil {
			errs = append(errs, err)
		} else {
			entries = append(entries, entry{Vote: v})
		}
	}
	return Ballots{rec: newRecord(t, names, known, entries)}, errors.Join(errs...)
}

// Close returns the same ballots with voting closed: a decision on them is never [Pending].
func (b Ballots) Close() Ballots {
	b.closed = true
	return b
}

// Closed reports whether voting is closed.
func (b Ballots) Closed() bool { return b.closed }

// Proposals returns the known proposals in the order they were made. The slice is the caller's.
func (b Ballots) Proposals() []string { return slices.Clone(b.board().from.proposals) }

// Votes yields the votes that count, ordered by Seq, then voter, then proposal, whatever order they
// were added in. [Ballots.Uncounted] returns the others.
func (b Ballots) Votes() iter.Seq[Vote] {
	return func(yield func(Vote) bool) {
		for _, v := range b.record().counted() {
			if !yield(v) {
				return
			}
		}
	}
}

// WithReliabilities returns the same ballots with known in place of
// [Options.Reliabilities]; nil means that nothing is known of the voters. It
// costs as much as building the ballots.
func (b Ballots) WithReliabilities(known Reliabilities) Ballots {
	t := *b.board().terms
	t.learned = known
	return b.on(&t)
}

// on counts the votes again on other terms.
func (b Ballots) on(t *terms) Ballots {
	if b.early != nil {
		return Ballots{early: b.early.on(t), closed: b.closed}
	}
	r := b.record()
	return Ballots{rec: newRecord(t, r.proposals, indexOf(r.proposals), r.entries), closed: b.closed}
}

// Position is a voter's vote on one proposal, without the text.
type Position struct {
	Proposal int // its index in [Ballots.Proposals]
	Stance   Stance
	Weight   float64
}

// ByVoter yields each voter who has voted on known proposals with its votes that count, ordered by the
// proposals' indices: the minimum that pooling needs, in one pass and without a copy. In the ballots that a
// [Round] passes to a [Knower], unknown voters who have voted alike are yielded together. The order of voters
// is unspecified, and the slice is valid until the next iteration.
func (b Ballots) ByVoter() iter.Seq2[Bloc, []Position] {
	if b.early != nil {
		return b.early.byVoter()
	}
	return func(yield func(Bloc, []Position) bool) {
		r := b.record()
		var positions []Position
		for i := range r.voters {
			v := &r.voters[i]
			positions = positions[:0]
			for _, m := range r.marks[v.from:v.to] {
				positions = append(positions, Position{int(m.proposal), m.stance, r.entries[m.entry].Weight})
			}
			if !yield(Bloc{r.name(v), 1, r.terms.share(r.name(v))}, positions) {
				return
			}
		}
	}
}

// Voters returns how many distinct voters have voted on known proposals, abstentions included: the
// number compared with the quorum.
func (b Ballots) Voters() int { return b.board().total.voters }

// Spoke returns how many voters have a vote on a known proposal that is not an abstention, and how many of them
// agree with no proposal.
func (b Ballots) Spoke() (n, none int) {
	t := &b.board().total
	return t.spoke, t.none
}

// Threshold returns the minimum support for a decision.
func (b Ballots) Threshold() float64 { return b.board().terms.threshold }

// Quorum returns how many voters a decision needs.
func (b Ballots) Quorum() int { return b.board().terms.quorum }

// Electorate returns how many voters may vote, or 0 if that is not known.
func (b Ballots) Electorate() int { return len(b.board().terms.electorate) }

// Correlation returns ρ, by which evidence is discounted; 0 for [Independent] voters.
func (b Ballots) Correlation() float64 { return b.board().terms.rho }

// Rank returns the voter's rank in the operator's registry, or 0 if it is not
// there.
func (b Ballots) Rank(voter string) int { return b.board().terms.ranks[voter] }

// Group returns the voter's group in the operator's registry, or false if it is
// not there.
func (b Ballots) Group(voter string) (string, bool) {
	g, ok := b.board().terms.groups[voter]
	return g, ok
}

// Reliability returns what is known of the voter, or false if nothing is.
func (b Ballots) Reliability(voter string) (Reliability, bool) {
	bd := b.board()
	if bd.terms.learned == nil {
		return newcomer, false
	}
	return bd.terms.learned.Reliability(voter, len(bd.from.proposals))
}

// Tallies returns the count of each proposal, in the order they were made.
func (b Ballots) Tallies() []Tally { return b.board().tallies() }

// Uncounted returns the votes that do not count, ordered by voter, proposal and
// cause.
func (b Ballots) Uncounted() []Uncounted { return slices.Clone(b.record().uncounted) }

func (b Ballots) record() *record {
	switch {
	case b.early != nil:
		return b.early.from.record()
	case b.rec == nil:
		return emptyRecord
	}
	return b.rec
}
