package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// Shown returns what agents of a team are shown in the turns of a round that a plan asks
// for, of the log before it: what comes from outside the team, and what belongs to the step.
// For an answer these are the facts that others have stated for it, for a verdict one
// argument for each answer. What was taken back before the round is not shown, nor what the
// operator has taken back since: a round that begins again goes on without it.
func (t *Thread) Shown(began *signals.Signal[Began], team func(id string) bool) (news []signals.Any, proposals []agents.Standing) {
	ask, told := began.Payload.Ask, t.Calls.Planned.Mode == mode.FactsFirst
	before := t.Log[:slices.IndexFunc(t.Log, func(s signals.Any) bool { return s.Head().Seq == began.Seq })]
	back := signals.RetractionsOf(before)
	for _, s := range before {
		h := s.Head()
		switch {
		case back.Has(h.ID), t.Withdrawn.byOperator(h.ID):
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
