package rooms

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	texts "github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// A Call is a call of a tool, or the task of an agent that is spawned, with the tool's
// name "Agent" and the argument "task".
type Call struct {
	Tool  string
	Args  map[string]any
	Label string // two to four words; others are made to fit
	// Stub writes the stub of this call; nil: that of [Options].
	Stub Stubber
	// Repeats declares that a second call with the same arguments changes nothing more. The
	// router repeats such a call if the process ended while it ran, and asks the user otherwise.
	Repeats bool
	// Reports says that run reports the call to the context's hook ([hooks.OpTool]) by itself.
	Reports bool
}

// Called is the outcome of a call, for the agent that made it.
type Called struct {
	Ix     int    // the section §N that has the result
	Stub   string // one line
	Result string // the whole result, or the error's text; of more than [Options].Result bytes the beginning
	Failed bool
}

// calls are those of one turn.
type calls struct {
	mu      sync.Mutex     // protects the field below
	earlier []events.Event // from an earlier try of the turn, not claimed yet
}

// claim returns the event of the same call in an earlier try of the turn.
func (c *calls) claim(call Call) (events.Tool, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.earlier {
		t, _ := e.Body.(events.Tool)
		if t.ToolName == call.Tool && reflect.DeepEqual(t.Args, call.Args) {
			c.earlier = slices.Delete(c.earlier, i, i+1)
			return t, true
		}
	}
	return events.Tool{}, false
}

// Call calls a tool as events of the room: run returns the result. The router writes the
// stub when run has returned; the result is in the log, and in no later prompt. An error
// of run is a result too, and not an error of Call, except when ctx has ended. In a turn
// that is taken again, a call whose result is in the log is not made again. A call that
// was running is made again if it repeats, or if the user decides so ([Again]). run gets
// the number of its section by [IxOf].
func (t *Turn) Call(ctx context.Context, call Call, run func(context.Context) (string, error)) (Called, error) {
	args, err := asLogged(call.Args)
	if err != nil {
		return Called{}, fmt.Errorf("rooms: arguments of %s: %w", call.Tool, err)
	}
	call.Args = args
	tool, known := t.calls.claim(call)
	if tool.Status.Over() {
		return called(tool), nil
	}
	if !known {
		tool = events.Tool{
			Common: t.common(normal), ToolName: call.Tool, Args: call.Args,
			Label: roomlog.Label(call.Label, call.Tool, about(call.Args)), Status: events.Pending, Repeats: call.Repeats,
		}
		if err := t.emit(ctx, &tool); err != nil {
			return Called{}, err
		}
	}
	again := tool.Status == events.Running && !tool.Repeats
	tool.Status = events.Running
	if err := t.emit(ctx, &tool); err != nil {
		return Called{}, err
	}
	began := t.router.now()
	result, err := watched(context.WithValue(context.WithValue(ctx, ixKey{}, tool.Ix), againKey{}, again), call, run)
	if ctx.Err() != nil {
		return Called{}, context.Cause(ctx)
	}
	tool.Status = events.Done
	if err != nil {
		tool.Status, result = events.Failed, err.Error()
	}
	stub := call.Stub
	if stub == nil {
		stub = t.router.opts.Stub
	}
	distill(ctx, stub, &tool, texts.ShortenTo(result, t.router.opts.Result), t.router.now().Sub(began))
	return called(tool), t.emit(ctx, &tool)
}

// asLogged returns arguments as they are read from a log: numbers are floats. Those of a
// call in a turn that is taken again equal them then.
func asLogged(args map[string]any) (logged map[string]any, err error) {
	logged = map[string]any{}
	if args == nil {
		return logged, nil
	}
	text, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(text, &logged)
	}
	return logged, err
}

type ixKey struct{}

// IxOf returns the number of the section of the call that ctx belongs to, 0 outside of calls.
func IxOf(ctx context.Context) int {
	ix, _ := ctx.Value(ixKey{}).(int)
	return ix
}

// about returns the first text of the arguments, by name.
func about(args map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if s, ok := args[name].(string); ok {
			return s
		}
	}
	return ""
}

// watched calls a tool under a hook; a panic is an error.
func watched(ctx context.Context, call Call, run func(context.Context) (string, error)) (result string, err error) {
	end := hooks.End(func(any, error) {})
	if !call.Reports {
		ctx, end = hooks.Start(ctx, hooks.Op{Name: hooks.OpTool, Target: call.Tool})
	}
	defer func() {
		if v := recover(); v != nil {
			err = agents.Panicked(ctx, call.Tool, v)
		}
		end([]slog.Attr(nil), err)
	}()
	return run(ctx)
}

// distill fills in the fields of a call that has ended.
func distill(ctx context.Context, write Stubber, tool *events.Tool, result string, took time.Duration) {
	duration := took.Milliseconds()
	tool.Result, tool.DurationMS = &result, &duration
	stub, err := write(ctx, *tool)
	if err != nil {
		stub = result
	}
	stub = roomlog.FirstLine(stub)
	tool.Stub = &stub
}

// emit commits the newest event of a call; the first one takes a number.
func (t *Turn) emit(ctx context.Context, tool *events.Tool) error {
	r := t.router
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.commit(ctx, func() ([]any, error) {
		tool.Ix = cmp.Or(tool.Ix, r.state.Room(t.room).Ix()+1)
		run := t.runningLocked()
		if run == nil {
			return nil, errOver
		}
		return []any{events.Event{Room: t.room, From: t.agent, ReplyTo: run.Message.ID, Body: *tool}}, nil
	})
}

// errOver is returned for a call by a turn that has ended.
var errOver = errors.New("rooms: the turn has ended")

func called(t events.Tool) Called { return Called{t.Ix, *t.Stub, *t.Result, t.Status == events.Failed} }
