package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/view"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A call is a question about the call of a tool.
type call struct {
	item     api.Item
	question tools.Question
}

// calls returns the calls of tools that solves of a desk wait for, or waited for.
func (d *desk) calls() (all []call) {
	book := d.log.book()
	for _, q := range d.log.questions() {
		one, ok := book.Solve(q.Once.Thread)
		waits := q.Open && one.Stop == runlog.StopAsked.String() // else it has yet to stop
		if ok && (waits || q.Answer != nil) {
			all = append(all, call{itemOf(one, q), q.Question})
		}
	}
	return all
}

func itemOf(one api.Solve, q cassette.Question) api.Item {
	place, _ := json.Marshal(q.Once) // has no member that cannot be encoded
	sum := sha256.Sum256(place)
	item := api.Item{
		ID: one.ID + "." + hex.EncodeToString(sum[:8]), Type: "tool", Solve: one.ID, Run: one.Run, Task: one.Task, Asks: q.Agent,
		Seq: one.Seq, Since: q.After, Open: q.Open, Reason: q.Why, Options: []api.Option{},
		Tool: &api.Call{
			Agent: q.Agent, Tool: q.Tool, Args: q.Args, Why: q.Why, Detail: q.Detail(), Changed: q.Changed != nil, Solve: q.Solve != tools.Place{},
		},
	}
	if a := q.Answer; a != nil {
		item.Answer = &api.Answered{By: a.By, Time: a.At, Text: a.Reason, Verdict: verdictOf(a.Verdict)}
	}
	return item
}

// verdicts are those of the API.
var verdicts = map[string]tools.Verdict{"once": tools.AllowOnce, "solve": tools.AllowSolve, "deny": tools.Refuse}

// verdictOf returns the name that the API has for a verdict.
func verdictOf(v tools.Verdict) string {
	for name, of := range verdicts {
		if of == v {
			return name
		}
	}
	return ""
}

// Decide implements [api.Inbox].
func (in inbox) Decide(ctx context.Context, id string, v api.Verdict) (api.Item, error) {
	d, err := in.desk(ctx, id)
	if err != nil {
		return api.Item{}, err
	}
	if err := in.h.person(v.By); err != nil {
		return api.Item{}, refused(err)
	}
	if err := d.reached(ctx); err != nil {
		return api.Item{}, err
	}
	if v.By != "" {
		if err := cmp.Or(signals.Limits{}.Required("by", strings.TrimSpace(v.By)), signals.Limits{}.Name("by", v.By)); err != nil {
			return api.Item{}, refused(err)
		}
	}
	if v.Verdict == "deny" && strings.TrimSpace(v.Reason) == "" {
		return api.Item{}, refused(&signals.FieldError{Field: "reason", Problem: "required to deny: the agent sees it"})
	}
	answer := tools.Answer{Verdict: verdicts[v.Verdict], Reason: v.Reason, By: cmp.Or(v.By, runlog.Person), At: in.h.o.Clock()}
	if err := answer.Validate(); err != nil {
		return api.Item{}, refused(err)
	}
	item, last, err := d.decide(ctx, id, answer)
	if err != nil || !last {
		return item, err // the solve goes on when all its questions are answered
	}
	_, thread, err := split(item.Solve)
	if err == nil {
		err = d.resume(thread, d.log.book().Log(thread), nil)
	}
	if err != nil && !errors.Is(err, work.ErrStopping) { // the verdict counts when the server starts again
		return item, refused(err)
	}
	return item, nil
}

// decide records the answer about a call, unless it has one: of two concurrent answers, the second
// is refused, also if another server has recorded the first. It returns the item from the journal, and whether it was the last one that its solve
// waits for.
func (d *desk) decide(ctx context.Context, id string, a tools.Answer) (item api.Item, last bool, err error) {
	d.deciding.Lock()
	defer d.deciding.Unlock()
	of, err := d.callOf(id)
	switch {
	case err != nil:
		return item, false, err
	case !of.item.Open:
		return of.item, false, second(of.item)
	case a.Verdict == tools.AllowSolve && of.question.Solve == (tools.Place{}):
		return of.item, false, refused(&signals.FieldError{Field: "verdict", Value: "solve", Problem: "this call may have been made: it can be allowed once"})
	}
	if err = d.answer(ctx, of.question, a); err != nil {
		return of.item, false, refused(err)
	}
	var gone error
	err = d.log.until(ctx, func(*view.Book) bool {
		of, gone = d.callOf(id)
		return gone != nil || !of.item.Open
	})
	if got := of.item.Answer; err == nil && gone == nil && (got == nil || got.By != a.By || got.Verdict != verdictOf(a.Verdict) || !got.Time.Equal(a.At)) {
		return of.item, false, second(of.item)
	}
	left := slices.ContainsFunc(d.log.questions(), func(q cassette.Question) bool {
		return q.Open && q.Once.Thread == of.question.Once.Thread
	})
	return of.item, !left, cmp.Or(err, gone)
}

// callOf returns the call that an item is about.
func (d *desk) callOf(id string) (call, error) {
	all := d.calls()
	i := slices.IndexFunc(all, func(c call) bool { return c.item.ID == id })
	if i < 0 {
		return call{}, notFound("call", id)
	}
	return all[i], nil
}
