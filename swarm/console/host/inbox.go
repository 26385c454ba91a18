package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/view"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// inbox is what waits for a person.
type inbox struct{ h *Host }

// Items implements [api.Inbox].
func (in inbox) Items(_ context.Context, all bool) ([]api.Item, error) {
	items := []api.Item{}
	for _, d := range in.h.desks {
		items = append(items, d.log.book().Asked()...)
		asked, err := in.calls(d)
		if err != nil {
			return nil, err
		}
		for _, c := range asked {
			items = append(items, c.item)
		}
	}
	items = slices.DeleteFunc(items, func(i api.Item) bool { return !all && !i.Open })
	slices.SortStableFunc(items, func(a, b api.Item) int { return a.Since.Compare(b.Since) })
	return items, nil
}

// A call is a question about the call of a tool.
type call struct {
	item     api.Item
	question tools.Question
}

// calls returns the calls that solves of a desk wait for.
func (in inbox) calls(d *desk) (all []call, err error) {
	if d.store == nil {
		return nil, nil // its agents ask where they are
	}
	for _, one := range d.log.book().Solves() {
		if one.Stop != runlog.StopAsked.String() {
			continue
		}
		open, err := cassette.Asked(d.store, one.Thread)
		if err != nil {
			return nil, err
		}
		for _, q := range open {
			all = append(all, call{itemOf(one, q), q})
		}
	}
	return all, nil
}

func itemOf(one api.Solve, q tools.Question) api.Item {
	place, _ := json.Marshal(q.Once) // has no member that cannot be encoded
	sum := sha256.Sum256(place)
	return api.Item{
		ID: one.ID + "." + hex.EncodeToString(sum[:8]), Type: "tool", Solve: one.ID, Run: one.Run, Task: one.Task, Asks: q.Agent,
		Seq: one.Seq, Since: one.Updated, Open: true, Reason: q.Why, Options: []api.Option{},
		Tool: &api.Call{
			Agent: q.Agent, Tool: q.Tool, Args: q.Args, Why: q.Why, Detail: q.Detail(), Changed: q.Changed != nil, Solve: q.Solve != tools.Place{},
		},
	}
}

// Item implements [api.Inbox].
func (in inbox) Item(ctx context.Context, id string) (api.Item, error) {
	if err := in.h.Wait(ctx); err != nil {
		return api.Item{}, err
	}
	all, err := in.Items(ctx, true)
	if err != nil {
		return api.Item{}, err
	}
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
	case a.Text == "" && a.Vote == "":
		return item, api.NewError(http.StatusUnprocessableEntity, "an answer has a text, or a vote")
	}
	d, thread, err := solving(in).own(ctx, item.Solve)
	if err != nil {
		return item, err
	}
	err = d.resume(thread, d.log.book().Log(thread), answerOf(a))
	if answered := (*runlog.AnsweredError)(nil); errors.As(err, &answered) || errors.Is(err, errRuns) {
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

// answerOf returns the signal of an answer.
func answerOf(a api.Answer) signals.Any {
	h := signals.Header{Source: a.By, Confidence: 1}
	if a.Vote == "" {
		return signals.New(h, signals.Memory{Content: a.Text, Category: "answer", Importance: 1})
	}
	v := signals.Vote{ProposalID: a.Vote, Stance: signals.Agree, Weight: 1, Reasoning: a.Text}
	if a.Stance == signals.Disagree.String() {
		v.Stance = signals.Disagree
	}
	return signals.New(h, v)
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

// second refuses a second answer, with the first one.
func second(item api.Item) error {
	if item.Answer == nil {
		return api.NewError(http.StatusConflict, "it does not wait for an answer any more")
	}
	e := api.NewError(http.StatusConflict, item.Answer.By+" has answered first")
	e.Answered = item.Answer
	return e
}

// Decide implements [api.Inbox].
func (in inbox) Decide(ctx context.Context, id string, v api.Verdict) (api.Item, error) {
	if err := in.h.Wait(ctx); err != nil {
		return api.Item{}, err
	}
	for _, d := range in.h.desks {
		all, err := in.calls(d)
		if err != nil {
			return api.Item{}, err
		}
		i := slices.IndexFunc(all, func(c call) bool { return c.item.ID == id })
		if i < 0 {
			continue
		}
		return in.decide(d, all[i], v)
	}
	return api.Item{}, api.NewError(http.StatusConflict, "the call does not wait for a verdict: it has got one, or there is none")
}

// verdicts are those of the API.
var verdicts = map[string]tools.Verdict{"once": tools.AllowOnce, "solve": tools.AllowSolve, "deny": tools.Refuse}

func (in inbox) decide(d *desk, c call, v api.Verdict) (api.Item, error) {
	answer := tools.Answer{Verdict: verdicts[v.Verdict], Reason: v.Reason, By: v.By}
	if answer.By == "" {
		answer.By = runlog.Person
	}
	if err := answer.Validate(); err != nil {
		return c.item, api.NewError(http.StatusUnprocessableEntity, err.Error())
	}
	if err := cassette.Answer(d.store, c.question, answer); err != nil {
		return c.item, err
	}
	_, thread, err := split(c.item.Solve)
	if err != nil {
		return c.item, err
	}
	c.item.Open = false
	c.item.Answer = &api.Answered{By: answer.By, Time: in.h.o.Clock(), Text: v.Reason, Verdict: v.Verdict}
	left, err := cassette.Asked(d.store, thread)
	if err != nil || len(left) > 0 {
		return c.item, err // it goes on when all its questions are answered
	}
	return c.item, refusedOrNil(d.resume(thread, d.log.book().Log(thread), nil))
}

func refusedOrNil(err error) error {
	if err == nil {
		return nil
	}
	return refused(err)
}
