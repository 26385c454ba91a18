package rooms_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// Failures of mail that was heard with a message do not count for later mail.
func TestFailuresOfMailThatWasHeardDoNotCount(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	var turns atomic.Int32
	via := react("Via", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		switch turns.Add(1) {
		case 1, 2, 4:
			return nil, errors.New("down")
		}
		return []signals.Any{rooms.Words("Heard.")}, nil
	})
	h := open(t, rooms.Options{Store: store, Tries: 3, Agents: []rooms.Standing{{Agent: says("Reed", "<PASS>"), Rooms: []string{"ops"}}, {Agent: via, Rooms: []string{"front"}}}})
	feed := h.follow(rooms.From{Room: "front"})
	faulted := func(e events.Event) bool { s, ok := e.Body.(events.System); return ok && s.What == events.Faulted }
	heard := func(e events.Event) bool { _, ok := e.Body.(events.Dialogue); return ok }
	h.say("ops", "@Via first")
	feed.until(t, faulted)
	h.settled()
	h.clock.Advance(time.Minute)
	feed.until(t, faulted)
	h.settled()
	h.say("front", "hello")
	h.clock.Advance(time.Minute)
	feed.until(t, heard)
	h.idle()
	h.say("ops", "@Via second")
	feed.until(t, faulted)
	h.settled()
	h.clock.Advance(time.Minute)
	feed.until(t, heard)
	h.idle()
	for _, e := range logged(t, store, "front") {
		if s, ok := e.Body.(events.System); ok && s.What == events.SetAside {
			t.Error(s.Content)
		}
	}
}

// TestMessageOnWhichAnAgentAlwaysFailsIsSetAside sends mail with it, which is set aside too,
// and another message behind it, which is answered.
func TestMessageOnWhichAnAgentAlwaysFailsIsSetAside(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(_ context.Context, turn *agents.Turn) ([]signals.Any, error) {
		for _, s := range turn.New {
			if b, ok := s.Body().(events.User); ok && b.Content == "Good" && len(turn.New) == 1 {
				return []signals.Any{rooms.Words("Answered.")}, nil
			}
		}
		return nil, errors.New("too long for the model")
	})
	h := build(t, rooms.Options{Store: store, Tries: 3, Agents: []rooms.Standing{
		{Agent: reed, Rooms: []string{"ops"}}, {Agent: react("Via", func(context.Context, *agents.Turn) ([]signals.Any, error) {
			return []signals.Any{signals.New(signals.Header{Confidence: 1}, rooms.Say{Content: "Read this.", To: []string{"Reed"}})}, nil
		}), Rooms: []string{"front"}},
	}})
	h.tell("ops", rooms.Message{Content: "Bad"})
	h.tell("ops", rooms.Message{Content: "Good"})
	h.say("front", "Tell Reed")
	feed := h.follow(rooms.From{Room: "ops"})
	h.run()
	for range 3 {
		feed.until(t, func(e events.Event) bool { s, ok := e.Body.(events.System); return ok && s.What == events.Faulted })
		h.settled()
		h.clock.Advance(time.Minute)
	}
	feed.until(t, func(e events.Event) bool { d, ok := e.Body.(events.Dialogue); return ok && d.Content == "Answered." })
	h.idle()
	all := lines(of(logged(t, store, "ops"), "system"))
	diff(t, []string{"system router background 0 set aside: Reed failed in 3 turns: the message and the mail that it had to answer are set aside"}, all[len(all)-1:])
	again, err := rooms.Load(store)
	if err != nil || again.Agent("Reed").Queues.Total() != 0 || len(again.Agent("Reed").Mail) != 0 || again.Mails() != 1 {
		t.Errorf("after a restart: %+v, %v", again.Agent("Reed"), err)
	}
}

func TestAgentThatEndsItsGoroutineHasFailed(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		runtime.Goexit()
		return nil, nil
	})
	h := open(t, rooms.Options{Store: store, Tries: 1, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	h.say("ops", "Go")
	h.idle()
	all := lines(of(logged(t, store, "ops"), "system"))
	if n := len(all); n < 2 || !strings.Contains(all[n-2], agents.ErrNoReturn.Error()) {
		t.Errorf("got %q", all)
	}
}

// behindUser are the events of a log behind the user's message.
func behindUser(all []events.Event) []events.Event {
	for i, e := range all {
		if _, ok := e.Body.(events.User); ok {
			return all[i+1:]
		}
	}
	return nil
}

// A brokenStore fails every write from some time on.
type brokenStore struct {
	journal.Memory
	broken atomic.Bool
}

func (s *brokenStore) Append(all ...journal.Record) (uint64, error) {
	if s.broken.Load() {
		return 0, errDisk
	}
	return s.Memory.Append(all...)
}

var errDisk = errors.New("no space left on the disk")

func TestNoTurnBeginsThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	store := new(brokenStore)
	r, err := rooms.New(t.Context(), &rooms.Options{Store: store, Keys: keys(t), Agents: []rooms.Standing{{Agent: says("Reed", "Hi."), Rooms: []string{"ops"}}}})
	if err != nil {
		t.Fatal(err)
	}
	ran := make(chan error, 1)
	go func() { ran <- r.Run(t.Context()) }()
	store.broken.Store(true)
	if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Go"}); !errors.Is(err, errDisk) {
		t.Errorf("the user is told %v", err)
	}
	if err := <-ran; !errors.Is(err, errDisk) {
		t.Errorf("it ran until %v", err)
	}
	if err := r.Close(context.Background()); !errors.Is(err, errDisk) {
		t.Errorf("it closes with %v", err)
	}
}

// A provider may ask for a pause of a year.
func TestPauseIsAtMostTheMaximum(t *testing.T) {
	t.Parallel()
	busy := react("Reed", func(context.Context, *agents.Turn) ([]signals.Any, error) {
		return nil, agents.Retryable(errors.New("busy"), 1000*time.Hour)
	})
	h := open(t, rooms.Options{Agents: []rooms.Standing{{Agent: busy, Rooms: []string{"ops"}}}, Most: 7 * time.Minute})
	h.say("ops", "hi")
	for e, err := range h.Events(t.Context(), rooms.From{Room: "ops"}) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.Body.(events.System); ok && s.What == events.Faulted {
			if !strings.HasSuffix(s.Content, "left alone for 7m0s") {
				t.Error(s.Content)
			}
			return
		}
	}
}

// The turn of a tool that ignores its context fails at its timeout. Other agents in the room
// get their turns, and the router ends.
func TestTurnThatDoesNotReturnHoldsUpNeitherTheRoomNorTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang, over := make(chan struct{}), make(chan error, 1)
		reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
			turn := rooms.Of(ctx)
			_, _ = turn.Call(ctx, rooms.Call{Tool: "Hang"}, func(context.Context) (string, error) { <-hang; return "late", nil })
			_, err := turn.Call(context.WithoutCancel(ctx), rooms.Call{Tool: "Late"}, func(context.Context) (string, error) { return "", nil })
			over <- err
			return nil, nil
		})
		reed.TurnTimeout = time.Minute
		store := new(journal.Memory)
		r, err := rooms.New(t.Context(), &rooms.Options{
			Store: store, Keys: &events.Keys{Dir: t.TempDir()}, Tries: 1,
			Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Veda", "I am here"), Rooms: []string{"ops"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- r.Run(ctx) }()
		if _, err := r.Say(ctx, "ops", rooms.Message{Content: "hi"}); err != nil {
			t.Fatal(err)
		}
		if err := r.Idle(ctx); err != nil {
			t.Fatal(err)
		}
		all := logged(t, store, "ops")
		if len(of(all, "dialogue")) != 1 || !slices.ContainsFunc(all, func(e events.Event) bool {
			s, ok := e.Body.(events.System)
			return ok && s.What == events.Faulted && strings.Contains(s.Content, "does not return")
		}) {
			t.Errorf("%q", lines(all))
		}
		if _, err := r.Say(ctx, "ops", rooms.Message{Content: "hi again", To: []string{"Reed"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-ran; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(hang)
		for range 2 { // the second would be taken again if the router went on
			if err := <-over; err == nil {
				t.Error("a turn that was abandoned can still call tools")
			}
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
