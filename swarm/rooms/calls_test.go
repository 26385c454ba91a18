package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

// TestCallsAtOnceShareTheSequenceOfTheRoom has an agent that makes calls side by side, while
// mail takes numbers of its room.
func TestCallsAtOnceShareTheSequenceOfTheRoom(t *testing.T) {
	t.Parallel()
	const calls = 16
	store := new(journal.Memory)
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		var all sync.WaitGroup
		for n := range calls {
			all.Go(func() {
				got, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Read", Args: map[string]any{"n": n}}, func(ctx context.Context) (string, error) {
					return fmt.Sprint(n, " is §", rooms.IxOf(ctx)), nil
				})
				if want := fmt.Sprint(n, " is §", got.Ix); err != nil || got.Result != want {
					t.Errorf("got %q, %v, want %q", got.Result, err, want)
				}
			})
		}
		all.Wait()
		return nil, nil
	})
	via := react("Via", func(context.Context, *agents.Turn) (all []signals.Any, err error) {
		for range calls {
			all = append(all, signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "Read this.", To: []string{"Veda"}}))
		}
		return all, nil
	})
	h := open(t, rooms.Options{Store: store, Turns: 2, Agents: []rooms.Standing{
		{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Veda", "<PASS>"), Rooms: []string{"ops"}}, {Agent: via, Rooms: []string{"front"}},
	}})
	h.tell("ops", rooms.Message{Content: "Go", To: []string{"Reed"}})
	h.say("front", "Go")
	h.idle()
	given := map[int]string{}
	for _, e := range logged(t, store, "ops") {
		switch b := e.Body.(type) {
		case events.Tool:
			if n, taken := given[b.Ix]; taken && n != fmt.Sprint(b.Args) {
				t.Errorf("§%d is of two events", b.Ix)
			}
			given[b.Ix] = fmt.Sprint(b.Args)
		case events.Mailbox:
			if _, taken := given[b.Ix]; taken {
				t.Errorf("§%d is of two events", b.Ix)
			}
			given[b.Ix] = "mail"
		}
	}
	for n := range 2 * calls {
		if given[n+1] == "" {
			t.Errorf("no event is §%d of %v", n+1, given)
		}
	}
}
