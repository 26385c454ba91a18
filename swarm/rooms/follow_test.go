package rooms_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/internal/timetest"
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
	hang := timetest.Context(t)
	for {
		select {
		case e := <-f.all:
			if read = append(read, e); wanted(e) {
				return read
			}
		case err := <-f.err:
			t.Fatal(err)
		case <-hang.Done():
			t.Fatalf("it does not come after %q", lines(read))
		}
	}
}

// settled waits until the router waits for the end of a pause.
func (h *house) settled() {
	h.clock.mu.Lock()
	defer h.clock.mu.Unlock()
	for len(h.clock.waits) == 0 {
		h.clock.waited.Wait()
	}
}
