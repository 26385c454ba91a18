package thinker

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A position is an agent's position on a proposal, with the reason.
type position struct {
	agent      string
	proposal   string // the id under which votes are counted
	proposed   bool   // it made the proposal, or the same one
	stance     signals.Stance
	confidence float64
	why        string // at most 240 bytes
	seq        uint64 // sequence number of the signal that states it
}

// positions returns the positions of other agents, taken from the proposals and
// their votes and from the doubts and challenges that the agent heard: for each
// agent and proposal its newest position. The source of a proposal agrees with it.
// An objection counts as [signals.Disagree]. Only the newest positions are
// returned, at most that many (0: 32), oldest first.
func positions(t *agents.Turn, most int) []position {
	var all []position
	for _, s := range t.Proposals {
		all = append(all, positionsOn(t, s)...)
	}
	all = slices.DeleteFunc(all, func(p position) bool { return p.agent == t.Agent })
	slices.SortStableFunc(all, func(a, b position) int { return cmp.Compare(a.seq, b.seq) })
	return all[max(0, len(all)-cmp.Or(most, 32)):]
}

// positionsOn returns the positions on one proposal.
func positionsOn(t *agents.Turn, s agents.Standing) (all []position) {
	take := func(h signals.Header, stance signals.Stance, proposed bool, why string) {
		p := position{h.Source, s.ID(), proposed, stance, h.Confidence, text.Fit(why, 240), h.Seq}
		i := slices.IndexFunc(all, func(q position) bool { return q.agent == p.agent })
		switch {
		case i < 0:
			all = append(all, p)
		case p.seq >= all[i].seq:
			p.proposed = p.proposed || all[i].proposed
			all[i] = p
		}
	}
	made := slices.Concat([]*signals.Signal[signals.Proposal]{s.Proposal}, s.Same)
	for _, p := range made {
		take(p.Header, signals.Agree, true, p.Payload.Reasoning)
	}
	for _, v := range s.Votes {
		take(v.Header, v.Payload.Stance, false, v.Payload.Reasoning)
	}
	about := func(id signals.ID) bool {
		return slices.ContainsFunc(made, func(p *signals.Signal[signals.Proposal]) bool { return p.ID == id })
	}
	for _, heard := range slices.Concat(t.Heard, t.New) {
		switch o := heard.(type) {
		case *signals.Signal[signals.Doubt]:
			if about(o.Payload.TargetSignalID) {
				take(o.Header, signals.Disagree, false, o.Payload.Concern)
			}
		case *signals.Signal[signals.Challenge]:
			if about(o.Payload.TargetSignalID) {
				take(o.Header, signals.Disagree, false, o.Payload.CounterArgument)
			}
		}
	}
	return all
}
