package bus_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/events"
	"github.com/swarmbus/swarmbus/conflict"
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

// least returns the shortest of a few runs.
func least(n int, f func()) time.Duration {
	best := time.Hour
	for range n {
		began := time.Now()
		f()
		best = min(best, time.Since(began))
	}
	return best
}

func TestLeavingALoopCostsNothingOfTheBacklog(t *testing.T) {
	cost := func(backlog int) time.Duration {
		b := newBus(t, &bus.Options{TTL: -1})
		a := agent(t, b, "a")
		sub := subscribe(t, b, bus.SubscribeOptions{Backlog: 1 << 20})
		for range backlog {
			must(t, a, found("x"))
		}
		seq := uint64(0)
		return least(3, func() {
			for range 300 {
				for s, err := range sub.All(t.Context()) {
					if seq++; err != nil || s.Head().Seq != seq {
						t.Fatalf("signal %v after %d, %v", s, seq-1, err)
					}
					break
				}
			}
		})
	}
	if small, large := cost(1_000), cost(100_000); large > 20*small {
		t.Errorf("300 loops took %v with 1,000 signals unread and %v with 100,000", small, large)
	}
}

func TestPublishAllAndFeedAreLinear(t *testing.T) {
	foreign := func(n int, feed bool) []signals.Any {
		var all []signals.Any
		for i := range n {
			s := proposes("t", fmt.Sprint("p", i), fmt.Sprint(i))
			s.ID = signals.MustID(fmt.Sprint("own-", i))
			if feed {
				s.Seq, s.Source, s.Time = uint64(i+1), "a", time.Now()
			}
			all = append(all, s)
		}
		return all
	}
	for _, feed := range []bool{false, true} {
		cost := func(n int) time.Duration {
			all := foreign(n, feed)
			return least(3, func() {
				b := newBus(t, &bus.Options{Conflicts: &conflict.Options{Off: true}})
				var err error
				if feed {
					err = b.Feed(t.Context(), all...)
				} else {
					_, err = agent(t, b, "a").PublishAll(t.Context(), all...)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
		for try := range 5 { // others use the machine, too
			small, large := cost(4_000), cost(32_000)
			if large <= 30*small { // quadratic: 64
				break
			}
			if try == 4 {
				t.Errorf("feed %v: 4,000 took %v, 32,000 %v", feed, small, large)
			}
		}
	}
}

func TestPagesAreReusedAfterReadersHaveGone(t *testing.T) {
	for name, read := range map[string]func(*bus.Bus) (leave func()){
		"an observer":    func(b *bus.Bus) func() { return b.Observe(func(events.Event) {}) },
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
