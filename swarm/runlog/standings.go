package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/plain"
	"github.com/swarmbus/swarmbus/signals"
)

// Standings are the proposals of a thread with their votes, folded from its
// log. Equal proposals are merged.
type standings struct {
	all     []agents.Standing
	place   map[string]int            // index by every id
	content map[string]int            // index by normalized content
	stances map[ballot]signals.Stance // stance of the newest vote
	private bool                      // some signals are not for everyone
	shown   bool                      // turns share all: copy before changing
}

// ballot identifies a voter's vote on an id.
type ballot struct{ voter, id string }

func newStandings() *standings {
	return &standings{place: map[string]int{}, content: map[string]int{}, stances: map[ballot]signals.Stance{}}
}

// propose adds a proposal, under its own id or merged with an equal earlier
// one: by its content, or the one that as names.
func (s *standings) propose(p *signals.Signal[signals.Proposal], as string) {
	id := p.Payload.ProposalID
	i, known := s.place[id]
	if !known {
		i, known = s.place[as]
	}
	text := plain.Text(p.Payload.Content)
	if !known {
		i, known = s.content[text]
	}
	s.change(p)
	if !known {
		i = len(s.all)
		s.all = append(s.all, agents.Standing{Proposal: p})
	} else if first := s.all[i].Proposal; first.Source != p.Source || s.all[i].ID() != id {
		s.all[i].Same = append(slices.Clip(s.all[i].Same), p)
	}
	s.place[id] = i
	if _, taken := s.content[text]; !taken {
		s.content[text] = i
	}
}

// vote adds a vote and returns the id that it counts under: its own for an
// unknown proposal. A voter that agrees with a proposal and disagrees with an
// equal one under another id agrees: then ok is false, and the vote changes
// nothing.
func (s *standings) vote(v *signals.Signal[signals.Vote]) (id string, ok bool) {
	i, known := s.place[v.Payload.ProposalID]
	s.stances[ballot{v.Source, v.Payload.ProposalID}] = v.Payload.Stance
	switch {
	case !known:
		return v.Payload.ProposalID, true
	case v.Payload.Stance == signals.Disagree && s.agrees(v.Source, s.all[i]):
		return "", false
	}
	s.change(v)
	votes := slices.DeleteFunc(slices.Clone(s.all[i].Votes), func(old *signals.Signal[signals.Vote]) bool {
		return old.Source == v.Source
	})
	s.all[i].Votes = append(votes, v)
	return s.all[i].ID(), true
}

func (s *standings) agrees(voter string, p agents.Standing) bool {
	if s.stances[ballot{voter, p.ID()}] == signals.Agree {
		return true
	}
	return slices.ContainsFunc(p.Same, func(q *signals.Signal[signals.Proposal]) bool {
		return s.stances[ballot{voter, q.Payload.ProposalID}] == signals.Agree
	})
}

// of returns the proposal with that id, or nil.
func (s *standings) of(id string) *agents.Standing {
	if i, known := s.place[id]; known {
		return &s.all[i]
	}
	return nil
}

func (s *standings) change(by signals.Any) {
	h := by.Head()
	s.private = s.private || !h.Recipients.Everyone()
	if s.shown {
		s.all, s.shown = slices.Clone(s.all), false
	}
}

// show returns the standings for an agent, or for a result (""), which may keep
// them.
func (s *standings) show(agent string) []agents.Standing {
	s.shown = true
	if !s.private || agent == "" {
		return s.all
	}
	var visible []agents.Standing
	for _, p := range s.all {
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

// waits reports whether there is a vote on that id.
func (s *standings) waits(id string) bool {
	for b := range s.stances {
		if b.id == id {
			return true
		}
	}
	return false
}
