package rooms_test

import (
	"context"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// A follower reads a feed.
type follower struct {
	all chan events.Event
	err chan error
}

// follow reads a feed until the test ends.
func (h *house) follow(from rooms.From) *follower {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &follower{make(chan events.Event, 10_000), make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e, err := range h.Events(ctx, from) {
			if err != nil {
				f.err <- err
				return
			}
			f.all <- e
		}
	}()
	h.t.Cleanup(func() { cancel(); <-done })
	return f
}

// until reads up to an event.
func (f *follower) until(t testing.TB, wanted func(events.Event) bool) (read []events.Event) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case e := <-f.all:
			if read = append(read, e); wanted(e) {
				return read
			}
		case err := <-f.err:
			t.Fatal(err)
		case <-late:
			t.Fatalf("it does not come after %q", lines(read))
		}
	}
}

// settled waits until the router waits for the end of a pause.
func (h *house) settled() {
	h.t.Helper()
	for range 2000 {
		h.clock.mu.Lock()
		waits := len(h.clock.waits)
		h.clock.mu.Unlock()
		if waits > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	h.t.Fatal("the router does not wait")
}
