package view

import (
	"slices"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// talks are the debates of a solve.
type talks struct{ debates []api.Debate }

func (t *talks) apply(s *solve, said signals.Any) {
	switch said := said.(type) {
	case *signals.Signal[runlog.Began]:
		d := said.Payload.Debate
		if d.Round > 0 && t.of(d.A, d.B) == nil {
			t.debates = append(t.debates, api.Debate{A: d.A, B: d.B, ForA: d.ForA, ForB: d.ForB, Seq: said.Seq, Arguments: []api.Argument{}})
		}
	case *signals.Signal[signals.Challenge]:
		t.argue(s, said)
	case *signals.Signal[conflict.Resolution]:
		if d := t.of(s.proposalOf(said.Payload.SignalA), s.proposalOf(said.Payload.SignalB)); d != nil && d.Ended == 0 {
			d.Ended, d.Winner, d.Reason = said.Seq, s.proposalOf(said.Payload.Winner), said.Payload.Reason
		}
	}
}

// argue notes an argument of an advocate in the step of a debate.
func (t *talks) argue(s *solve, said *signals.Signal[signals.Challenge]) {
	step := s.Debates.Step
	over, _, argues := step.Side(said.Source)
	d := t.of(step.A, step.B)
	if !argues || d == nil || int(said.Round) != s.Debates.Round {
		return
	}
	d.Arguments = append(d.Arguments, api.Argument{
		Seq: said.Seq, By: said.Source, For: over, Part: step.Part.String(), Text: said.Payload.CounterArgument,
	})
}

// of returns the debate of two proposals, or nil.
func (t *talks) of(a, b string) *api.Debate {
	for i := range t.debates {
		if d := &t.debates[i]; d.A == a && d.B == b || d.A == b && d.B == a {
			return d
		}
	}
	return nil
}

func (t *talks) all() []api.Debate {
	all := append([]api.Debate{}, t.debates...)
	for i := range all {
		all[i].Arguments = slices.Clone(all[i].Arguments)
	}
	return all
}

// conflicts returns the conflicts of the solve, in log order.
func (s *solve) conflicts() []api.Conflict {
	all := []api.Conflict{}
	open := s.Conflicts.Open()
	for _, p := range s.Conflicts.All() {
		of := api.Conflict{
			Solve: s.id(), Seq: p.B.Seq, Time: p.DetectedAt, A: p.A.ProposalID, B: p.B.ProposalID,
			TextA: p.A.Content, TextB: p.B.Content,
			Open: slices.ContainsFunc(open, func(o conflict.Pair) bool { return o.B.Signal == p.B.Signal }) && !s.Stage.Closed(),
		}
		for _, r := range s.Conflicts.Settled {
			a, b := r.Payload.SignalA, r.Payload.SignalB
			if a == p.A.Signal && b == p.B.Signal || a == p.B.Signal && b == p.A.Signal {
				of.How, of.Reason, of.Settled, of.Winner = string(r.Payload.How), r.Payload.Reason, r.Seq, s.proposalOf(r.Payload.Winner)
			}
		}
		all = append(all, of)
	}
	return all
}

// escalations returns the questions of the solve to a person or program outside.
func (s *solve) escalations() []api.Escalation {
	all := []api.Escalation{}
	for _, q := range s.Questions.All() {
		if q.Call != nil {
			continue
		}
		of := api.Escalation{Seq: q.Seq, By: q.Asks, Time: q.Since, Reason: q.Reason, Context: q.Context, Answer: s.answer(q)}
		if s.waits(q) {
			of.Item = s.item(q)
		}
		all = append(all, of)
	}
	return all
}
