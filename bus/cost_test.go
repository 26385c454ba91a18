package bus_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func TestPublisherDoesNotWorkForOthersForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(bus.New(&bus.Options{Sweep: -1, TTL: -1}))
		a, other := agent(t, b, "a"), agent(t, b, "other")
		handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error {
			time.Sleep(40 * time.Millisecond)
			return nil
		})
		began := time.Now()
		go func() {
			time.Sleep(time.Millisecond)
			for range 100 {
				must(t, other, found("x"))
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := a.Publish(ctx, found("mine")); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 3*40*time.Millisecond {
			t.Errorf("kept for %v", took)
		}
		if err := b.Sync(t.Context(), b.Last()); err != nil {
			t.Errorf("no goroutine went on: %v", err)
		}
		if err := b.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestPagesAreReusedAfterReadersHaveGone(t *testing.T) {
	for name, read := range map[string]func(*bus.Bus) (leave func()){
		"an observer":    func(b *bus.Bus) func() { return b.Observe(func(bus.Event) {}) },
		"a subscription": func(b *bus.Bus) func() { return subscribe(t, b, bus.SubscribeOptions{}).Close },
	} {
		b := newBus(t, &bus.Options{History: 100, TTL: -1})
		a, s := publisher(t, b, "a"), event()
		publish := func() {
			for range 640 {
				must(t, a, s)
			}
		}
		leave := read(b)
		publish()
		leave()
		publish() // until the history has no page of before
		publish()
		// 10 pages, one for 64 signals, would be allocated; the directory takes two allocations for
		// 1,024 signals, and a collection of garbage in between has three of its own.
		if n := testing.AllocsPerRun(20, publish); n >= 10 {
			t.Errorf("%s has gone: %v allocations for 640 signals", name, n)
		}
	}
}
