package rooms

import (
	"context"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// The recorded results of calls that returned none.
const (
	skipped    = "it was running when the process ended, so it may have been done; the user says not to repeat it"
	unreturned = "the turn ended before the call returned"
)

// closed returns the end of a call that has no result, and why it has none.
func closed(tool events.Tool, why string) events.Tool {
	took := int64(0)
	tool.Status, tool.Result, tool.Stub, tool.DurationMS = events.Failed, &why, &why, &took
	return tool
}

type againKey struct{}

// Again reports whether ctx belongs to a call that may have been made before and that the
// user chose to repeat.
func Again(ctx context.Context) bool {
	again, _ := ctx.Value(againKey{}).(bool)
	return again
}

// settle asks the user whether to repeat each call that was running when the process ended,
// except those that may be repeated anyway.
func (t *Turn) settle(ctx context.Context) error {
	for i, call := range t.calls.earlier {
		tool, _ := call.Body.(events.Tool)
		if t.moot || tool.Status != events.Running || tool.Repeats {
			continue
		}
		answer, err := t.ask(ctx, call)
		if err != nil {
			return err
		}
		if answer == roomlog.Skip {
			tool = closed(tool, skipped)
			if err := t.emit(ctx, &tool); err != nil {
				return err
			}
			t.calls.earlier[i].Body = tool
		}
	}
	return nil
}

// ask asks the user about a call, unless the log has the question, and waits for the answer.
// Meanwhile another turn may run in place of this one.
func (t *Turn) ask(ctx context.Context, call events.Event) (roomlog.Answer, error) {
	r := t.router
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.state.Agent(t.agent).Running
	if _, asked := run.Asked[call.ID]; !asked {
		if _, err := r.commitLocked(ctx, question(call)); err != nil {
			return 0, err
		}
	}
	r.turns--
	r.changedLocked()
	defer func() { r.turns++ }()
	for run.Asked[call.ID] == roomlog.Open || r.turns >= r.opts.Turns {
		news := r.news
		r.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
		}
		r.mu.Lock()
		switch {
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case r.err != nil:
			return 0, r.err
		}
	}
	return run.Asked[call.ID], nil
}

func question(call events.Event) events.Event {
	tool, _ := call.Body.(events.Tool)
	e := system(call.Room, events.Asked, call.From,
		`%s asks: §%d, %s, was running when the process ended, so it may have been done. Write "repeat §%d" or "skip §%d".`,
		call.From, tool.Ix, roomlog.FirstLine(tool.ToolName), tool.Ix, tool.Ix)
	body, _ := e.Body.(events.System)
	body.Priority = urgent
	e.Body, e.ReplyTo = body, call.ID
	return e
}

// answersLocked returns the id of the call that a message of the user answers a question about,
// "" if it answers none.
func (r *Router) answersLocked(room *roomlog.Room, message string) string {
	ix, _, ok := roomlog.Verdict(message)
	a := r.state.Agent(room.Running())
	if !ok || a == nil {
		return ""
	}
	for _, call := range a.Running.Calls {
		tool, _ := call.Body.(events.Tool)
		if answer, asked := a.Running.Asked[call.ID]; asked && answer == roomlog.Open && tool.Ix == ix {
			return call.ID
		}
	}
	return ""
}

// unreturnedLocked returns the ends of the calls that have not returned when their turn ends.
func (t *Turn) unreturnedLocked() (all []any) {
	run := t.router.state.Agent(t.agent).Running
	for _, call := range run.Calls {
		tool, _ := call.Body.(events.Tool)
		if tool.Status.Over() {
			continue
		}
		all = append(all, events.Event{Room: t.room, From: t.agent, ReplyTo: run.Message.ID, Body: closed(tool, unreturned)})
	}
	return all
}
