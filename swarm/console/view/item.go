package view

import (
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// item returns the id of a question in the inbox.
func (s *solve) item(seq uint64) string { return fmt.Sprintf("%s.%d", s.id(), seq) }

// asked returns the questions of the solve that wait or were answered, as items.
func (s *solve) asked() (all []api.Item) {
	for _, q := range s.talks.questions {
		of := api.Item{
			ID: s.item(q.asked.Seq), Type: "question", Solve: s.id(), Run: s.run, Task: s.Task().Task,
			Asks: q.asked.Source, Seq: q.asked.Seq, Since: q.asked.Time,
			Reason: q.asked.Payload.Reason, Context: q.asked.Payload.Context, Options: s.options(), Answer: s.answer(q),
		}
		if of.Open = of.Answer == nil && s.waits(q); of.Open {
			if question := solves.QuestionOf(s.Thread.Thread); question != nil {
				of.Asks, of.Reason, of.Context = question.Asks, question.Reason, question.Context
			}
		}
		if of.Open || of.Answer != nil {
			all = append(all, of)
		}
	}
	return all
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
