package rooms

import (
	"context"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// Keep puts signals of a solve into the room, as events that belong to the section of the
// solve. They take no number, are not heard by members, and are not unread. When Keep
// returns, they are in the journal. The error wraps [ErrNone] if the room has no such section.
func (t *Turn) Keep(ctx context.Context, ix int, all ...signals.Any) error {
	r := t.router
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var drafts []any
	for _, s := range all {
		text, err := signals.Marshal(s)
		if err != nil {
			return err
		}
		drafts = append(drafts, events.Event{Room: t.room, From: t.agent, Body: events.Signal{
			Common: t.common(background), Ix: ix, What: s.Kind(), By: s.Head().Source, JSON: string(text),
		}})
	}
	return r.changed(ctx, func() error {
		if t.runningLocked() == nil {
			return errOver
		}
		if _, has := r.state.Room(t.room).Section(ix); !has {
			return fmt.Errorf("%w: no section §%d in room %s", ErrNone, ix, t.room)
		}
		_, err := r.commitLocked(ctx, drafts...)
		return err
	})
}

// Log yields the events of the turn's room that are in the log by now, oldest first.
func (t *Turn) Log(ctx context.Context) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		r := t.router
		r.mu.Lock()
		seq := r.state.Seq()
		r.mu.Unlock()
		if err := r.writer.Sync(ctx, seq); err != nil {
			yield(events.Event{}, err)
			return
		}
		for e, err := range Log(r.opts.Store, 0) {
			if (err != nil || e.Room == t.room) && !yield(e, err) {
				return
			}
		}
	}
}

// Kept returns the signals of a solve that are in the room, as [signals.Marshal] wrote them,
// oldest first.
func (t *Turn) Kept(ctx context.Context, ix int) (all []string, err error) {
	for e, err := range t.Log(ctx) {
		if err != nil {
			return nil, err
		}
		if s, ok := e.Body.(events.Signal); ok && s.Ix == ix {
			all = append(all, s.JSON)
		}
	}
	return all, nil
}
