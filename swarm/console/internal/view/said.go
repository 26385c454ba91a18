package view

import (
	"cmp"
	"encoding/json"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/said"
)

// describe returns a signal in words.
func (s *solve) describe(of signals.Any) api.Said {
	h, l := of.Head(), said.Of(of)
	w := api.Said{
		Seq: h.Seq, ID: h.ID.String(), Time: h.Time, Round: int(h.Round), By: cmp.Or(l.By, h.Source), Kind: string(of.Kind()), Form: l.Form, About: l.About,
		Level: levelOf(h.CausalLevel), Sure: h.Confidence, Target: s.seqs[cmp.Or(l.Target, l.Rivals[1], h.ReplyTo)],
		Text: l.Text, Reason: l.Reason, Severity: cmp.Or(l.Severity, l.Class), Error: l.Failed, Millis: l.Milliseconds, Proposal: cmp.Or(l.Proposal, s.proposalOf(l.Winner)),
	}
	for to := range h.Recipients.All() {
		w.To = append(w.To, to)
	}
	if l.Stance != 0 {
		w.Stance, w.Weight = l.Stance.String(), &l.Weight
	}
	if w.Text == "" && w.Form == "other" {
		raw, err := json.Marshal(of.Body())
		if w.Text = string(raw); err != nil {
			w.Text = err.Error()
		}
	}
	if p, ok := of.Body().(runlog.Decided); ok {
		w.Text = p.On(s.Last, s.called)
	}
	if a, ok := of.Body().(asking.Answer); ok {
		if q, known := s.Questions.Of(a.ID); known {
			w.Target = q.Seq
		}
	}
	if w.By != bus.System && s.person(w.By) {
		w.About = said.Person
	}
	return w
}

// person reports whether a source is not an agent that takes turns.
func (s *solve) person(source string) bool {
	return source == runlog.Person || s.Stage.Answered != nil && s.Stage.Answered.Payload.By == source
}

// proposalOf returns the id of the proposal of a signal; "": it is none.
func (s *solve) proposalOf(id signals.ID) string {
	if id.IsZero() {
		return ""
	}
	for _, p := range s.Votes.Made() {
		if p.ID == id {
			return p.Payload.ProposalID
		}
	}
	return ""
}
