package view

import (
	"encoding/json"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// item returns the id of a question in the inbox.
func (s *solve) item(q runlog.Question) string { return s.id() + "." + q.ID }

// asked returns the questions of the solve that wait or were answered, as items.
func (s *solve) asked() (all []api.Item) {
	for _, q := range s.Questions.All() {
		of := api.Item{
			ID: s.item(q), Type: "question", Solve: s.id(), Run: s.run, Task: s.Task().Task,
			Asks: q.Asks, Seq: q.Seq, Since: q.Since, Reason: q.Reason, Context: q.Context, Options: []api.Option{}, Priority: int(q.Priority),
			Open: s.waits(q), Answer: s.answer(q),
		}
		if !q.Expires.IsZero() {
			of.Expires = &q.Expires
		}
		if c := q.Call; c != nil {
			of.Type = "tool"
			of.Tool = &api.Call{
				ID: c.ID, Agent: c.Agent, Tool: c.Tool, Args: json.RawMessage(c.Args), Why: c.Why, Detail: c.Detail(), Shown: c.Shown(), Changed: c.Changed != "", Solve: c.ForSolve(),
			}
			for _, v := range c.Verdicts() {
				of.Tool.Verdict = append(of.Tool.Verdict, string(v))
			}
		} else {
			of.Options = s.options()
		}
		var options []runlog.Option
		for _, o := range of.Options {
			options = append(options, runlog.Option{ID: o.Proposal, Content: o.Content, Support: o.Support})
		}
		of.Words, of.Schema = q.Words(options...), q.Schema(options...)
		if of.Open || of.Answer != nil {
			all = append(all, of)
		}
	}
	return all
}

// calls returns the calls of tools that the solve waits for, as items.
func (s *solve) calls() []api.Item {
	return append([]api.Item{}, slices.DeleteFunc(s.asked(), func(i api.Item) bool { return i.Tool == nil || !i.Open })...)
}

// waits reports whether the solve has stopped for a question.
func (s *solve) waits(q runlog.Question) bool {
	if !q.Open || !s.Stage.Stopped() {
		return q.Open && q.Call == nil && s.Stage.Decided == nil && s.Stage.AsksStill() // it takes the answer to another one
	}
	stop := s.Stage.Decided.Payload.Stop
	return q.Call != nil && stop == runlog.StopAsked || q.Call == nil && stop == runlog.StopEscalated
}

// answer returns the answer to a question; nil: none is on record.
func (s *solve) answer(q runlog.Question) *api.Answered {
	a := q.Answer
	if a == nil {
		return nil
	}
	of := &api.Answered{By: a.By, From: string(a.From), Time: a.At, Seq: a.Seq, Verdict: string(a.Verdict), Text: a.Text, Args: a.Args}
	if a.Signal == nil {
		return of
	}
	switch p := a.Signal.Body().(type) {
	case signals.Vote:
		of.Text, of.Vote, of.Stance = p.Reasoning, p.ProposalID, p.Stance.String()
	case signals.Memory:
		of.Text = p.Content
	default:
		of.Text = s.describe(a.Signal).Text
	}
	return of
}

// options returns the proposals that an answer may vote for.
func (s *solve) options() []api.Option {
	all := []api.Option{}
	for i, p := range s.proposals() {
		of := api.Option{Proposal: p.ID, Letter: letter(i), Content: p.Content, Support: p.Support, For: []string{}, Against: []string{}}
		for _, v := range s.Votes.Of(p.ID).Votes {
			switch v.Payload.Stance {
			case signals.Agree:
				of.For = append(of.For, v.Source)
			case signals.Disagree:
				of.Against = append(of.Against, v.Source)
			}
		}
		all = append(all, of)
	}
	return all
}
