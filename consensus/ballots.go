package consensus

import (
	"errors"
	"iter"
	"slices"
)

// Ballots are the votes of one decision with its terms: what a [Strategy] decides on. They are immutable
// and may be read from anywhere at once. Names are interned when they are built, so deciding costs no
// look-ups. The zero value holds no proposal and no vote, on default terms.
type Ballots struct {
	rec    *record
	closed bool
}

// NewBallots builds ballots in one call. A vote or proposal that is refused spoils nothing else: the
// error joins one [*FieldError], wrapped, for each, and the ballots hold all the rest. Only bad options
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

// Votes yields the votes that count, ordered by Seq, then voter, then proposal: the same however they
// were handed in. Which votes do not, [Ballots.Uncounted] says.
func (b Ballots) Votes() iter.Seq[Vote] {
	return func(yield func(Vote) bool) {
		for _, v := range b.record().counted() {
			if !yield(v) {
				return
			}
		}
	}
}

// Knowing returns the same ballots with this known of the voters, in the place of
// [Options.Reliabilities]; nil: nothing. It costs what building them does.
func (b Ballots) Knowing(known Reliabilities) Ballots {
	r := b.record()
	t := *r.terms
	t.learned = known
	return Ballots{newRecord(&t, r.proposals, indexOf(r.proposals), r.entries), b.closed}
}

// Said is what a voter says of one proposal, without the words.
type Said struct {
	Proposal int // its place in [Ballots.Proposals]
	Stance   Stance
	Weight   float64
}

// ByVoter yields each voter who has voted on known proposals with the votes of its that count, ordered by
// the proposals' places: the least that pooling needs, in one pass and without a copy. The order of voters
// means nothing, and the slice is valid until the next one.
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

// Voters returns how many distinct voters have voted on known proposals, abstentions included: what is
// compared with the quorum.
func (b Ballots) Voters() int { return len(b.record().voters) }

// Threshold returns the support that carries a decision, inclusive.
func (b Ballots) Threshold() float64 { return b.record().terms.threshold }

// Quorum returns how many voters it takes.
func (b Ballots) Quorum() int { return b.record().terms.quorum }

// Electorate returns how many may vote, and 0 when that is not known.
func (b Ballots) Electorate() int { return len(b.record().terms.electorate) }

// Correlation returns ρ, by which evidence is discounted; 0 for [Independent] voters.
func (b Ballots) Correlation() float64 { return b.record().terms.rho }

// Rank returns the voter's rank in the operator's registry, 0 when it is not there.
func (b Ballots) Rank(voter string) int { return b.record().terms.ranks[voter] }

// Group returns the voter's group in the operator's registry, and false when it is not there.
func (b Ballots) Group(voter string) (string, bool) {
	g, ok := b.record().terms.groups[voter]
	return g, ok
}

// Reliability returns what is known of the voter, and false when nothing is.
func (b Ballots) Reliability(voter string) (Reliability, bool) {
	r := b.record()
	if r.terms.learned == nil {
		return newcomer, false
	}
	return r.terms.learned.Reliability(voter, len(r.proposals))
}

// Tallies returns the count of each proposal, in the order they were made.
func (b Ballots) Tallies() []Tally { return b.record().tallies() }

// Uncounted returns what was handed in and does not count, ordered by voter, proposal and cause.
func (b Ballots) Uncounted() []Uncounted { return slices.Clone(b.record().uncounted) }

func (b Ballots) record() *record {
	if b.rec == nil {
		return emptyRecord
	}
	return b.rec
}
