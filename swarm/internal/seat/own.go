package seat

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// Own returns what was said in a turn. Where no answer of others is shown, a proposal whose id
// somebody else has taken gets one of its agent: otherwise an agent that guesses ids could
// displace others' answers and collect their votes.
func (t *Turn) Own(made []*signals.Signal[signals.Proposal], said []signals.Any) []signals.Any {
	if t.Ask != agents.AskAnswer {
		return said
	}
	taken := func(id string) bool {
		return slices.ContainsFunc(made, func(m *signals.Signal[signals.Proposal]) bool {
			return m.Payload.ProposalID == id && m.Source != t.Agent
		})
	}
	said = slices.Clone(said)
	mine, n := map[string]string{}, 0
	for i, s := range said {
		switch p := s.Body().(type) {
		case signals.Proposal:
			id := p.ProposalID
			for ; taken(p.ProposalID); n++ {
				p.ProposalID = fmt.Sprintf("%s/%d.%d", t.Agent, t.Round, n+1)
			}
			if p.ProposalID != id {
				mine[id], said[i] = p.ProposalID, signals.New(s.Head(), p)
			}
		case signals.Vote:
			if id := mine[p.ProposalID]; id != "" {
				p.ProposalID = id
				said[i] = signals.New(s.Head(), p)
			}
		}
	}
	return said
}
