package swarm

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// Standings are the proposals of a thread with their votes, folded from its
// log.
type standings struct {
	all   []agents.Standing
	place map[string]int // by every id
	shown bool           // turns hold all: copy before changing
}

// propose takes a proposal in under its own id.
func (s *standings) propose(p *signals.Signal[signals.Proposal]) {
	if _, known := s.place[p.Payload.ProposalID]; known {
		return
	}
	s.change()
	s.place[p.Payload.ProposalID] = len(s.all)
	s.all = append(s.all, agents.Standing{Proposal: p})
}

// vote takes a vote in, if it is on a known proposal.
func (s *standings) vote(v *signals.Signal[signals.Vote]) {
	i, known := s.place[v.Payload.ProposalID]
	if !known {
		return
	}
	s.change()
	votes := slices.DeleteFunc(slices.Clone(s.all[i].Votes), func(old *signals.Signal[signals.Vote]) bool {
		return old.Source == v.Source
	})
	s.all[i].Votes = append(votes, v)
}

func (s *standings) of(id string) agents.Standing { return s.all[s.place[id]] }

func (s *standings) change() {
	if s.shown {
		s.all, s.shown = slices.Clone(s.all), false
	}
}

// show returns what turns and results may keep.
func (s *standings) show() []agents.Standing {
	s.shown = true
	return s.all
}
