package agents

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Standing is a snapshot of a proposal, its proposers and the votes on it.
type Standing struct {
	Proposal *signals.Signal[signals.Proposal]   // the first one
	Same     []*signals.Signal[signals.Proposal] // later equal ones, under ids of their own
	Votes    []*signals.Signal[signals.Vote]     // the newest of each voter, under any of the ids, in log order
	Lost     bool                                // it lost a conflict that was settled, and can no longer be chosen
}

// ID returns the id under which votes are counted.
func (s Standing) ID() string { return s.Proposal.Payload.ProposalID }

// Is reports whether the proposal goes by that id.
func (s Standing) Is(id string) bool {
	return s.ID() == id || slices.ContainsFunc(s.Same, func(p *signals.Signal[signals.Proposal]) bool {
		return p.Payload.ProposalID == id
	})
}

// Supporters returns the sources that proposed it, the first one first.
func (s Standing) Supporters() []string {
	all := []string{s.Proposal.Source}
	for _, p := range s.Same {
		if !slices.Contains(all, p.Source) {
			all = append(all, p.Source)
		}
	}
	return all
}

// VoteOf returns the voter's vote, or nil if it has not voted on the proposal.
func (s Standing) VoteOf(voter string) *signals.Signal[signals.Vote] {
	for _, v := range s.Votes {
		if v.Source == voter {
			return v
		}
	}
	return nil
}
