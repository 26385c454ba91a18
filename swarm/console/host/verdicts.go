package host

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Decide implements [api.Inbox].
func (in inbox) Decide(ctx context.Context, id string, v api.Verdict) (api.Item, error) {
	item, err := in.Item(ctx, id)
	switch {
	case err != nil:
		return item, err
	case item.Tool == nil:
		return item, notFound("call", id)
	case !item.Open && v.Verdict != string(asking.Revoke):
		return item, second(item)
	}
	if err := in.h.person(v.By); err != nil {
		return item, refused(err)
	}
	if v.By != "" {
		if err := cmp.Or(signals.Limits{}.Required("by", strings.TrimSpace(v.By)), signals.Limits{}.Name("by", v.By)); err != nil {
			return item, refused(err)
		}
	}
	d, thread, err := solving(in).own(ctx, item.Solve)
	if err == nil {
		err = refused(d.Reached(ctx))
	}
	if err != nil {
		return item, err
	}
	call := strings.TrimPrefix(id, item.Solve+".")
	from := api.WhoOf(ctx).Kind
	all, said := d.Answer(ctx, thread, asking.Answer{ID: call, Verdict: asking.Verdict(v.Verdict), Reason: v.Reason, Args: v.Args, Shown: v.Shown, By: cmp.Or(v.By, string(from), runlog.Person), From: from})
	if said == nil && all {
		if said = d.Resume(thread, nil); errors.Is(said, work.ErrStopping) {
			said = nil // the next start goes on
		}
	}
	if item, err = in.Item(ctx, id); err != nil {
		return item, err
	}
	if answered := (*runlog.AnsweredError)(nil); errors.As(said, &answered) {
		return item, second(item)
	}
	return item, refused(said)
}
