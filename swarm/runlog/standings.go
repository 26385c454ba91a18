package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// standings are the proposals of a thread with their votes, folded from its log. Equal
// proposals are merged. The zero value is not usable: see newStandings.
type standings struct {
	All []agents.Standing // in log order; shared

	place   map[string]int                    // index by every id
	content map[string]int                    // index by the key of the content
	key     func(content string) string       // equal for equal proposals
	stances map[standingBallot]signals.Stance // stance of the newest vote
	private bool                              // some signals are not for everyone
	shown   bool                              // turns share all: copy before changing
}

// standingBallot identifies a voter's vote on an id.
type standingBallot struct{ voter, id string }

// newStandings returns the fold before the first signal.
func newStandings(key func(string) string) *standings {
	return &standings{key: key, place: map[string]int{}, content: map[string]int{}, stances: map[standingBallot]signals.Stance{}}
}

// Propose adds a proposal, under its own id or merged with an equal earlier
// one: by its content, or the one that as names.
func (s *standings) Propose(p *signals.Signal[signals.Proposal], as string) {
	id := p.Payload.ProposalID
	i, known := s.place[id]
	if !known {
		i, known = s.place[as]
	}
	key := s.key(p.Payload.Content)
	if !known {
		i, known = s.content[key]
	}
	s.change(p)
	if !known {
		i = len(s.All)
		s.All = append(s.All, agents.Standing{Proposal: p})
	} else if first := s.All[i].Proposal; first.Source != p.Source || s.All[i].ID() != id {
		s.All[i].Same = append(slices.Clip(s.All[i].Same), p)
	}
	s.place[id] = i
	if _, taken := s.content[key]; !taken {
		s.content[key] = i
	}
}

// Vote adds a vote and returns the id that it counts under: its own for an
// unknown proposal. A voter that agrees with a proposal and disagrees with an
// equal one under another id agrees: then ok is false, and the vote changes
// nothing.
func (s *standings) Vote(v *signals.Signal[signals.Vote]) (id string, ok bool) {
	i, known := s.place[v.Payload.ProposalID]
	s.stances[standingBallot{v.Source, v.Payload.ProposalID}] = v.Payload.Stance
	switch {
	case !known:
		return v.Payload.ProposalID, true
	case v.Payload.Stance == signals.Disagree && s.agrees(v.Source, s.All[i]):
		return "", false
	}
	s.change(v)
	votes := slices.DeleteFunc(slices.Clone(s.All[i].Votes), func(old *signals.Signal[signals.Vote]) bool {
		return old.Source == v.Source
	})
	s.All[i].Votes = append(votes, v)
	return s.All[i].ID(), true
}

func (s *standings) agrees(voter string, p agents.Standing) bool {
	if s.stances[standingBallot{voter, p.ID()}] == signals.Agree {
		return true
	}
	return slices.ContainsFunc(p.Same, func(q *signals.Signal[signals.Proposal]) bool {
		return s.stances[standingBallot{voter, q.Payload.ProposalID}] == signals.Agree
	})
}

// Of returns the proposal with that id, or nil.
func (s *standings) Of(id string) *agents.Standing {
	if i, known := s.place[id]; known {
		return &s.All[i]
	}
	return nil
}

func (s *standings) change(by signals.Any) {
	h := by.Head()
	s.private = s.private || !h.Recipients.Everyone()
	if s.shown {
		s.All, s.shown = slices.Clone(s.All), false
	}
}

// Show returns the standings for an agent, or for a result (""), which may keep
// them.
func (s *standings) Show(agent string) []agents.Standing {
	s.shown = true
	if !s.private || agent == "" {
		return s.All
	}
	var visible []agents.Standing
	for _, p := range s.All {
		h := p.Proposal.Head()
		if h.Source != agent && !h.Recipients.Include(agent) {
			continue
		}
		p.Votes = slices.DeleteFunc(slices.Clone(p.Votes), func(v *signals.Signal[signals.Vote]) bool {
			return v.Source != agent && !v.Recipients.Include(agent)
		})
		visible = append(visible, p)
	}
	return visible
}

// Waits reports whether there is a vote on that id.
func (s *standings) Waits(id string) bool {
	for b := range s.stances {
		if b.id == id {
			return true
		}
	}
	return false
}
