package agents

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Position is an agent's position on a proposal, with the reason.
type Position struct {
	Agent      string
	Proposal   string // the id under which votes are counted
	Proposed   bool   // it made the proposal, or the same one
	Stance     signals.Stance
	Confidence float64
	Why        string // at most 240 bytes
	Seq        uint64 // sequence number of the signal that states it
}

// Positions returns the positions of other agents, taken from the proposals and
// their votes and from the doubts and challenges that the agent heard: for each
// agent and proposal its newest position. The source of a proposal agrees with it.
// An objection counts as [signals.Disagree]. Only the newest positions are
// returned, at most that many (0: 32), oldest first.
func (t *Turn) Positions(most int) []Position {
	var all []Position
	for _, s := range t.Proposals {
		all = append(all, t.standing(s)...)
	}
	all = slices.DeleteFunc(all, func(p Position) bool { return p.Agent == t.Agent })
	slices.SortStableFunc(all, func(a, b Position) int { return cmp.Compare(a.Seq, b.Seq) })
	return all[max(0, len(all)-cmp.Or(most, 32)):]
}

// standing returns the positions on one proposal.
func (t *Turn) standing(s Standing) (all []Position) {
	take := func(h signals.Header, stance signals.Stance, proposed bool, why string) {
		p := Position{h.Source, s.ID(), proposed, stance, h.Confidence, clip(why), h.Seq}
		i := slices.IndexFunc(all, func(q Position) bool { return q.Agent == p.Agent })
		switch {
		case i < 0:
			all = append(all, p)
		case p.Seq >= all[i].Seq:
			p.Proposed = p.Proposed || all[i].Proposed
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

// clip cuts a text to 240 bytes, between runes.
func clip(text string) string {
	const most = 240
	if len(text) <= most {
		return text
	}
	end := 0
	for i := range text {
		if i > most-len("…") {
			break
		}
		end = i
	}
	return text[:end] + "…"
}
