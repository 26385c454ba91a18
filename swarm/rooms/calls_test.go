package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

func TestCallWritesItsOwnStubAndReturnsTheWholeResult(t *testing.T) {
	t.Parallel()
	var got rooms.Called
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) (all []signals.Any, err error) {
		got, err = rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Solve", Stub: rooms.FirstLine}, func(context.Context) (string, error) { return "Decided.\n\nWhy.", nil })
		return nil, err
	})
	h := open(t, rooms.Options{
		Stub:   func(context.Context, events.Tool) (string, error) { return "what the model makes of it", nil },
		Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}},
	})
	h.say("ops", "Go")
	h.idle()
	if want := (rooms.Called{Ix: 1, Stub: "Decided.", Result: "Decided.\n\nWhy."}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A log has no integers and no types of a program: a call is the same as one that is read.
func TestCallWithAnyArgumentsIsNotMadeTwice(t *testing.T) {
	t.Parallel()
	store, k := new(journal.Memory), keys(t)
	var calls atomic.Int32
	reached := make(chan struct{}, 2)
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		args := map[string]any{"n": 1, "paths": []string{"a"}, "deep": map[string]int{"x": 2}}
		first := false
		_, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Bash", Args: args}, func(context.Context) (string, error) {
			first = calls.Add(1) == 1
			return "done", nil
		})
		if first {
			reached <- struct{}{}
			<-ctx.Done()
		}
		return nil, err
	})
	o := rooms.Options{Store: store, Keys: k, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}}
	first := open(t, o)
	first.say("ops", "Go")
	<-reached
	first.close()
	open(t, o).idle()
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestSignalsOfNoSectionAreRefusedAndTheRouterGoesOn(t *testing.T) {
	t.Parallel()
	var refused []string
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		for _, ix := range []int{-1, 0, 1, 7} {
			if err := rooms.Of(ctx).Keep(ctx, ix, rooms.Words("x")); errors.Is(err, rooms.ErrNone) {
				refused = append(refused, fmt.Sprint(ix))
			}
		}
		return []signals.Any{rooms.Words("Ready.")}, nil
	})
	store := new(journal.Memory)
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	h.say("ops", "Go")
	h.idle()
	diff(t, []string{"-1", "0", "1", "7"}, refused)
	diff(t, []string{"dialogue Reed normal 1 to : Ready."}, lines(of(logged(t, store, "ops"), "dialogue")))
}
