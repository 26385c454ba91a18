package feed_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
)

// room is the frame of an event of a room, of so many bytes at least.
func room(log string, seq uint64, size int) api.Frame {
	return api.Frame{Type: api.FrameRoom, Log: log, Seq: seq, Room: "r", Event: json.RawMessage(`"` + strings.Repeat("x", size) + `"`)}
}

// joined returns a client of a hub that leaves when the test ends.
func joined(t *testing.T, hub *feed.Hub) *feed.Client {
	t.Helper()
	c, err := hub.Join("u", "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hub.Leave(c) })
	return c
}

// A client has missed frames of two logs, of one more than are kept.
func TestNoFrameFromBeforeAResyncsPositionFollowsIt(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{Keep: 2})
	for seq := uint64(1); seq <= 10; seq++ {
		publish(t, hub, room("b", seq, 0))
	}
	publish(t, hub, room("a", 1, 0), room("a", 2, 0), room("c", 1, 0), room("c", 2, 0))
	c := joined(t, hub)
	hub.Subscribe(c, api.Subscription{}, map[string]uint64{"a": 0, "b": 1, "c": 0})
	publish(t, hub, room("a", 3, 0))
	var got []string
	for f := range hub.Frames(t.Context(), c) {
		got = append(got, fmt.Sprintf("%s %s %d", f.Type, f.Log, f.Seq))
		if f.Type == api.FrameResync && (f.Cursor["a"] != 2 || f.Cursor["b"] != 10 || f.Cursor["c"] != 2) {
			t.Errorf("it goes on from %v", f.Cursor)
		}
		if f.Log == "a" && f.Seq == 3 {
			break
		}
	}
	if want := []string{"hello  0", "resync  0", "room a 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASlowClientIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	const most, size = 1 << 20, 100 << 10
	hub := feed.New(feed.Options{Bytes: most})
	c := joined(t, hub)
	hub.Subscribe(c, api.Subscription{}, nil)
	waiting := 0
	for seq := uint64(1); seq <= 100; seq++ {
		publish(t, hub, room("a", seq, size))
		waiting = max(waiting, hub.Health().Clients[0].Queue)
	}
	if waiting > most/size || waiting < most/size-1 {
		t.Errorf("up to %d frames of %d bytes waited", waiting, size)
	}
	hub.Subscribe(c, api.Subscription{}, nil)
	publish(t, hub, room("a", 101, 2*most)) // one that is larger gets through
	for f := range hub.Frames(t.Context(), c) {
		if f.Seq == 101 {
			break
		}
	}
	if got := hub.Health().Clients[0].Queue; got != 0 {
		t.Errorf("%d frames still wait", got)
	}
}

func TestAPositionNeverGoesBack(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	hub.At("a", 5)
	hub.At("a", 3)
	if got := hub.Cursor()["a"]; got != 5 {
		t.Errorf("it is at %d", got)
	}
}

func TestFramesQueuedBeforeAResyncAreNotSentAfterIt(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	release := hub.Hold("a")
	c := joined(t, hub)
	hub.Subscribe(c, api.Subscription{}, nil)
	publish(t, hub, room("b", 1, 0))
	release()
	publish(t, hub, room("b", 2, 0))
	var got []string
	for f := range hub.Frames(t.Context(), c) {
		if got = append(got, fmt.Sprintf("%s %d", f.Type, f.Seq)); f.Seq == 2 {
			break
		}
	}
	if want := []string{"hello 0", "resync 0", "room 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAHubHasSoManyClientsAtMost(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{Clients: 2})
	for i := range 3 {
		_, err := hub.Join(fmt.Sprint("user ", i), "test", time.Now())
		if full := errors.Is(err, feed.ErrFull); full != (i == 2) {
			t.Errorf("client %d: %v", i, err)
		}
	}
}

func TestAWebSocketThatReadsNothingIsClosed(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{Write: 50 * time.Millisecond, Bytes: 64 << 20})
	l := dial(t, serve(t, hub))
	l.next() // it reads no more
	for seq := uint64(1); seq <= 32; seq++ {
		publish(t, hub, room("a", seq, 1<<20)) // more than the system buffers
	}
	timetest.Until(t, "it is no client", func() bool { return len(hub.Health().Clients) == 0 })
}
