package host

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// inbox has the items that wait for a person.
type inbox struct{ h *Host }

// Items implements [api.Inbox].
func (in inbox) Items(_ context.Context, all bool) ([]api.Item, error) {
	items := []api.Item{}
	for _, d := range in.h.desks {
		items = append(items, d.items()...)
	}
	items = slices.DeleteFunc(items, func(i api.Item) bool { return !all && !i.Open })
	slices.SortStableFunc(items, func(a, b api.Item) int { return cmp.Or(b.Priority-a.Priority, a.Since.Compare(b.Since)) })
	return items, nil
}

// items returns the questions of a desk's solves that wait for a person, or waited.
func (d *desk) items() []api.Item {
	return d.log.book().Asked()
}

// desk returns the desk of an item, whose journal has been read.
func (in inbox) desk(ctx context.Context, id string) (*desk, error) {
	run, _, err := split(id)
	d := in.h.desk(run)
	if err != nil || d == nil {
		return nil, notFound("item", id)
	}
	return d, d.Ready(ctx)
}

// Item implements [api.Inbox].
func (in inbox) Item(ctx context.Context, id string) (api.Item, error) {
	d, err := in.desk(ctx, id)
	if err != nil {
		return api.Item{}, err
	}
	all := d.items()
	i := slices.IndexFunc(all, func(i api.Item) bool { return i.ID == id })
	if i < 0 {
		return api.Item{}, notFound("item", id)
	}
	return all[i], nil
}

// Answer implements [api.Inbox].
func (in inbox) Answer(ctx context.Context, id string, a api.Answer) (api.Item, error) {
	item, err := in.Item(ctx, id)
	switch {
	case err != nil:
		return item, err
	case item.Type != "question":
		return item, api.NewError(http.StatusUnprocessableEntity, "the call of a tool takes a verdict")
	case !item.Open:
		return item, second(item)
	case strings.Trim(a.Text, " \t\r\n") == "" && a.Vote == "":
		return item, api.NewError(http.StatusUnprocessableEntity, "an answer has a text, or a vote")
	}
	if err := in.h.person(a.By); err != nil {
		return item, refused(err)
	}
	d, thread, err := solving(in).own(ctx, item.Solve)
	if err != nil {
		return item, err
	}
	if err := d.Reached(ctx); err != nil {
		return item, refused(err)
	}
	question, err := signals.ParseID(strings.TrimPrefix(id, item.Solve+"."))
	if err == nil {
		err = d.Resume(thread, answerOf(a, question))
	}
	for errors.Is(err, work.ErrRuns) { // perhaps it takes the answer to another question
		if item, err = in.settled(ctx, d, thread, id); err != nil || !item.Open {
			return item, cmp.Or(err, second(item))
		}
		err = d.Resume(thread, answerOf(a, question))
	}
	if answered := (*runlog.AnsweredError)(nil); errors.As(err, &answered) {
		if item, err = in.after(ctx, d, id); err == nil {
			err = second(item)
		}
		return item, err
	}
	if err != nil {
		return item, refused(err)
	}
	return in.after(ctx, d, id)
}

// answerOf returns the signal of an answer to a question.
func answerOf(a api.Answer, question signals.ID) signals.Any {
	h := signals.Header{Source: a.By, Confidence: 1, ReplyTo: question}
	if a.Vote == "" {
		return signals.New(h, signals.Memory{Content: a.Text, Category: "answer", Importance: 1})
	}
	v := signals.Vote{ProposalID: a.Vote, Stance: signals.Agree, Weight: 1, Reasoning: a.Text}
	for _, s := range []signals.Stance{signals.Disagree, signals.Abstain} {
		if a.Stance == s.String() {
			v.Stance = s
		}
	}
	return signals.New(h, v)
}

// settled returns an item when it has an answer, or its solve does not run.
func (in inbox) settled(ctx context.Context, d *desk, thread, id string) (item api.Item, err error) {
	err = d.log.until(ctx, func(b *view.Book) bool {
		all := b.Asked()
		i := slices.IndexFunc(all, func(i api.Item) bool { return i.ID == id })
		if i < 0 {
			return true // it has ended otherwise
		}
		item = all[i]
		return item.Answer != nil || !d.Running()[thread]
	})
	return item, err
}

// after returns an item when its answer is in the log.
func (in inbox) after(ctx context.Context, d *desk, id string) (item api.Item, err error) {
	err = d.log.until(ctx, func(b *view.Book) bool {
		for _, i := range b.Asked() {
			if i.ID == id {
				item = i
			}
		}
		return item.Answer != nil
	})
	return item, err
}

// person refuses a name that cannot be a person's: that of an agent of any team or room, or of a
// source that is no agent. "" is a person without a name.
func (h *Host) person(name string) error {
	all := runlog.Insiders{bus.System, events.FromRouter, events.FromUser}
	for _, d := range h.desks {
		for _, a := range d.Options.Agents {
			all = append(all, a.ID)
		}
	}
	if h.office != nil {
		for _, s := range h.office.agents {
			all = append(all, s.Agent.ID)
		}
	}
	if all.Outside(strings.TrimSpace(name)) {
		return nil
	}
	return &signals.FieldError{Field: "by", Value: name, Problem: "not the name of a person"}
}

// second refuses a second answer, with the first one.
func second(item api.Item) error {
	if item.Answer == nil {
		return api.NewError(http.StatusConflict, "it does not wait for an answer any more")
	}
	e := api.NewError(http.StatusConflict, item.Answer.By+" has answered first")
	e.Answered = item.Answer
	return e
}
