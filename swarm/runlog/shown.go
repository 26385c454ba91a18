package runlog

import (
	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// Shown returns what agents of a team are shown in the turns of a round that a plan asks
// for, of the log before it: what comes from outside the team, and what belongs to the step.
// For an answer these are the facts that others have stated for it, for a verdict one
// argument for each answer.
func (t *Thread) Shown(began *signals.Signal[Began], team func(id string) bool) (news []signals.Any, proposals []agents.Standing) {
	ask, told := began.Payload.Ask, t.Calls.Planned.Mode == mode.FactsFirst
	for _, s := range t.Log {
		h := s.Head()
		switch {
		case h.Seq >= began.Seq:
		case h.Source == bus.System:
			if k := s.Kind(); k == signals.KindTask || isFact(k) {
				news = append(news, s)
			}
		case !team(h.Source), ask == agents.AskAnswer && told && isFact(s.Kind()):
			news = append(news, s)
		}
	}
	if ask == agents.AskVerdict {
		for _, id := range mode.Distinct(t.Calls.All()) {
			argument := t.argument(id)
			news, proposals = append(news, argument), append(proposals, agents.Standing{Proposal: argument})
		}
	}
	return news, proposals
}

// isFact reports whether signals of a kind state facts.
func isFact(k signals.Kind) bool {
	return k == signals.KindDiscovery || k == signals.KindMemory || k == signals.KindToolResult
}

// argument returns the first of equal proposals that has a reason, or the first one.
func (t *Thread) argument(id string) *signals.Signal[signals.Proposal] {
	p := t.Votes.Of(id)
	for _, same := range append([]*signals.Signal[signals.Proposal]{p.Proposal}, p.Same...) {
		if same.Payload.Reasoning != "" {
			return same
		}
	}
	return p.Proposal
}
