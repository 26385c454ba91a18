package consensus

import (
	"fmt"
	"slices"
)

// Builder collects proposals and votes, in any order, into [Ballots]. It is not safe for concurrent use.
type Builder struct {
	terms     *terms
	proposals []string
	known     map[string]int32
	entries   []entry
}

// entry is one vote as it was added. earlier counts the superseded votes that it also represents, which
// a [Round] no longer holds.
type entry struct {
	Vote
	earlier int32
	cell    int32 // where a [Round] keeps it
}

// NewBuilder returns an empty builder, or a wrapped [*FieldError] for an option out of range.
func NewBuilder(o *Options) (*Builder, error) {
	t, err := newTerms(o)
	if err != nil {
		return nil, err
	}
	return &Builder{terms: t, known: make(map[string]int32)}, nil
}

// Propose adds a proposal. Adding one again changes nothing; an empty id is refused with a wrapped
// [*FieldError]. Votes on it may have been added before.
func (b *Builder) Propose(id string) error {
	if err := validProposal(id); err != nil {
		return err
	}
	if _, ok := b.known[id]; !ok {
		b.known[id] = int32(len(b.proposals))
		b.proposals = append(b.proposals, id)
	}
	return nil
}

func validProposal(id string) error {
	if id == "" {
		return fmt.Errorf("consensus: proposal: %w", &FieldError{"proposalId", id, "a name"})
	}
	return nil
}

// Vote adds a vote, or returns the error of [Vote.Validate] and leaves the
// others unaffected.
func (b *Builder) Vote(v Vote) error {
	if err := v.Validate(); err != nil {
		return err
	}
	b.entries = append(b.entries, entry{Vote: v})
	return nil
}

// Ballots returns what has been collected so far. The builder may be used
// further.
func (b *Builder) Ballots() Ballots {
	return Ballots{rec: newRecord(b.terms, slices.Clip(b.proposals), b.known, slices.Clip(b.entries))}
}
