package consensus

import (
	"errors"
	"iter"
	"slices"
)

// Ballots are the votes of one decision together with its options: what a [Strategy] decides on. They
// are immutable and safe for concurrent use. Names are interned when they are built, so deciding needs
// no look-ups. The zero value holds no proposals and no votes, with default options.
type Ballots struct {
	rec    *record
	closed bool
}

// NewBallots builds ballots in one call. A vote or proposal that is refused does not affect the others:
// the error joins a wrapped [*FieldError] for each, and the ballots hold the rest. Only invalid options
// leave the ballots empty.
func NewBallots(o *Options, proposals []string, votes []Vote) (Ballots, error) {
	b, err := NewBuilder(o)
	if err != nil {
		return Ballots{}, err
	}
	b.entries = make([]entry, 0, len(votes))
	var errs []error
	for _, p := range proposals {
		if err := b.Propose(p); err != nil {
			errs = append(errs, err)
		}
	}
	for _, v := range votes {
		if err := b.Vote(v); err != nil {
			errs = append(errs, err)
		}
	}
	return b.Ballots(), errors.Join(errs...)
}

// Close returns the same ballots with voting closed: a decision on them is never [Pending].
func (b Ballots) Close() Ballots {
	b.closed = true
	return b
}

// Closed reports whether voting is closed.
func (b Ballots) Closed() bool { return b.closed }

// Proposals returns the known proposals in the order they were made. The slice is the caller's.
func (b Ballots) Proposals() []string { return slices.Clone(b.record().proposals) }

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

// Knowing returns the same ballots with known in place of
// [Options.Reliabilities]; nil means that nothing is known of the voters. It
// costs as much as building the ballots.
func (b Ballots) Knowing(known Reliabilities) Ballots {
	r := b.record()
	t := *r.terms
	t.learned = known
	return Ballots{newRecord(&t, r.proposals, indexOf(r.proposals), r.entries), b.closed}
}

// Said is a voter's vote on one proposal, without the text.
type Said struct {
	Proposal int // its index in [Ballots.Proposals]
	Stance   Stance
	Weight   float64
}

// ByVoter yields each voter who has voted on known proposals with its votes that count, ordered by the
// proposals' indices: the minimum that pooling needs, in one pass and without a copy. The order of voters
// is unspecified, and the slice is valid until the next iteration.
func (b Ballots) ByVoter() iter.Seq2[string, []Said] {
	return func(yield func(string, []Said) bool) {
		r := b.record()
		var said []Said
		for i := range r.voters {
			v := &r.voters[i]
			said = said[:0]
			for _, m := range r.marks[v.from:v.to] {
				said = append(said, Said{int(m.proposal), m.stance, r.entries[m.entry].Weight})
			}
			if !yield(r.name(v), said) {
				return
			}
		}
	}
}

// Voters returns how many distinct voters have voted on known proposals, abstentions included: the
// number compared with the quorum.
func (b Ballots) Voters() int { return len(b.record().voters) }

// Threshold returns the minimum support for a decision.
func (b Ballots) Threshold() float64 { return b.record().terms.threshold }

// Quorum returns how many voters a decision needs.
func (b Ballots) Quorum() int { return b.record().terms.quorum }

// Electorate returns how many voters may vote, or 0 if that is not known.
func (b Ballots) Electorate() int { return len(b.record().terms.electorate) }

// Correlation returns ρ, by which evidence is discounted; 0 for [Independent] voters.
func (b Ballots) Correlation() float64 { return b.record().terms.rho }

// Rank returns the voter's rank in the operator's registry, or 0 if it is not
// there.
func (b Ballots) Rank(voter string) int { return b.record().terms.ranks[voter] }

// Group returns the voter's group in the operator's registry, or false if it is
// not there.
func (b Ballots) Group(voter string) (string, bool) {
	g, ok := b.record().terms.groups[voter]
	return g, ok
}

// Reliability returns what is known of the voter, or false if nothing is.
func (b Ballots) Reliability(voter string) (Reliability, bool) {
	r := b.record()
	if r.terms.learned == nil {
		return newcomer, false
	}
	return r.terms.learned.Reliability(voter, len(r.proposals))
}

// Tallies returns the count of each proposal, in the order they were made.
func (b Ballots) Tallies() []Tally { return b.record().tallies() }

// Uncounted returns the votes that do not count, ordered by voter, proposal and
// cause.
func (b Ballots) Uncounted() []Uncounted { return slices.Clone(b.record().uncounted) }

func (b Ballots) record() *record {
	if b.rec == nil {
		return emptyRecord
	}
	return b.rec
}
