package bus_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestCloseStopsAtOnceAndMayBeRepeated(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{})
	r := must(t, a, found("1"))
	b.Close()
	b.Close()
	if _, err := a.Publish(timetest.Context(t), found("2")); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("publish: %v, want ErrClosed", err)
	}
	if _, err := sub.Next(timetest.Context(t)); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("next: %v, want ErrClosed", err)
	}
	if _, err := b.Subscribe(bus.SubscribeOptions{}); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("subscribe: %v, want ErrClosed", err)
	}
	if _, ok := b.Get(r.ID); !ok || len(history(b, bus.Filter{})) != 1 {
		t.Error("the history of a closed bus cannot be read")
	}
	if k := balanced(t, b).Account; k.DeadClosed != 1 || k.Pending != 0 {
		t.Errorf("account %+v", k)
	}
	sub.Close()
}

func TestHandlerMayCloseTheBus(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{})
	var ran, after int
	var ended error
	handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		ran++
		must(t, a, found("2"))
		b.Close()
		ended = ctx.Err()
		if _, err := a.Publish(ctx, found("3")); !errors.Is(err, bus.ErrClosed) {
			t.Errorf("publish inside: %v, want ErrClosed", err)
		}
		return nil
	})
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error { after++; return nil })
	must(t, a, found("1"))
	if ran != 1 || after != 0 || ended == nil {
		t.Errorf("ran %d and %d times, context %v; want 1, 0 and an ended context", ran, after, ended)
	}
	if k := balanced(t, b).Account; k.Pending != 0 || k.Delivered != 1 || k.DeadClosed != 5 {
		t.Errorf("account %+v of %v", k, sub)
	}
}

func TestShutdownDrainsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a := agent(t, b, "a")
		sub := subscribe(t, b, bus.SubscribeOptions{})
		for range 3 {
			must(t, a, found("x"))
		}
		var err error
		done := make(chan struct{})
		go func() { defer close(done); err = b.Shutdown(context.Background()) }()
		synctest.Wait()
		if _, err := a.Publish(context.Background(), found("late")); !errors.Is(err, bus.ErrClosed) {
			t.Errorf("publish while shutting down: %v, want ErrClosed", err)
		}
		if got, err := unread(sub); len(got) != 3 || err != nil && !errors.Is(err, bus.ErrClosed) { // the last one read ends the shutdown
			t.Errorf("read %d, %v; want 3", len(got), err)
		}
		<-done
		if _, next := sub.Next(context.Background()); err != nil || !errors.Is(next, bus.ErrClosed) {
			t.Errorf("shutdown: %v, then next: %v", err, next)
		}
		if k := balanced(t, b).Account; k.Delivered != 3 || k.Dead() != 0 {
			t.Errorf("account %+v", k)
		}
	})
}

func TestShutdownGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		subscribe(t, b, bus.SubscribeOptions{})
		must(t, agent(t, b, "a"), found("never read"))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := b.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want DeadlineExceeded", err)
		}
		if k := balanced(t, b).Account; k.DeadClosed != 1 {
			t.Errorf("account %+v", k)
		}
	})
}

func TestShutdownWaitsForARunningHandlerThoughTheBusIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		leave, left, stopped := make(chan bool), false, false
		handle(t, b, bus.HandleOptions{}, func(context.Context, discovery) error {
			<-leave
			left = true
			return nil
		})
		go must(t, agent(t, b, "a"), found("x"))
		synctest.Wait()
		go func() {
			if err := b.Shutdown(t.Context()); err != nil || !left {
				t.Errorf("shutdown: %v, the handler has returned: %v", err, left)
			}
			stopped = true
		}()
		synctest.Wait()
		b.Close()
		synctest.Wait()
		close(leave)
		if synctest.Wait(); !stopped {
			t.Error("shutdown does not end")
		}
	})
}

func TestShutdownInsideAHandlerIsRefused(t *testing.T) {
	b := newBus(t, nil)
	var err error
	handle(t, b, bus.HandleOptions{}, func(ctx context.Context, _ signals.Signal[signals.Discovery]) error {
		err = b.Shutdown(ctx)
		return nil
	})
	a := agent(t, b, "a")
	must(t, a, found("x"))
	if !errors.Is(err, bus.ErrInline) {
		t.Errorf("got %v, want ErrInline", err)
	}
	must(t, a, found("still open"))
}

// A bubble that ends with a goroutine in it panics, and this test does not close its bus.
func TestNoGoroutineBeforeItIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(bus.New(nil))
		subscribe(t, b, bus.SubscribeOptions{})
		handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Vote]) error { return nil })
		agent(t, b, "a")
		b.Sweep()

		b = made(bus.New(&bus.Options{Sweep: -1}))
		sub := subscribe(t, b, bus.SubscribeOptions{})
		must(t, agent(t, b, "a"), found("x"))
		if _, err := sub.Next(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestShutdownEndsBesideClose(t *testing.T) {
	for range 300 {
		b := made(bus.New(nil))
		a := agent(t, b, "a")
		handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
			if s.Seq < 5 {
				_, _ = a.Publish(ctx, found("more"))
				return nil
			}
			b.Close()
			return nil
		})
		go func() { _, _ = a.Publish(context.Background(), found("x")) }()
		if err := b.Shutdown(timetest.Context(t)); err != nil {
			t.Fatalf("shutdown beside close: %v", err)
		}
		if err := b.Shutdown(timetest.Context(t)); err != nil {
			t.Fatalf("shutdown after close: %v", err)
		}
	}
}

func TestShutdownEndsWhenAHandlerStoppedTheLastObserver(t *testing.T) {
	b := made(bus.New(nil))
	stop := b.Observe(func(bus.Event) {})
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error { stop(); return nil })
	must(t, agent(t, b, "a"), found("x"))
	if err := b.Shutdown(timetest.Context(t)); err != nil {
		t.Error(err)
	}
}

func TestShutdownInsideAnObserverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(bus.New(&bus.Options{TTL: time.Second, Sweep: 2 * time.Second}))
		done := make(chan error, 2)
		b.Observe(func(e bus.Event) {
			switch e.(type) {
			case bus.Published, bus.Expired: // in a publisher, and in a goroutine of the bus
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				done <- b.Shutdown(ctx)
			}
		})
		must(t, agent(t, b, "a"), found("x"))
		if err := <-done; err != nil {
			t.Errorf("in a publisher: %v", err)
		}

		b = made(bus.New(&bus.Options{TTL: time.Second, Sweep: 2 * time.Second}))
		must(t, agent(t, b, "a"), found("x"))
		b.Observe(func(e bus.Event) {
			if _, ok := e.(bus.Expired); ok {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				done <- b.Shutdown(ctx)
			}
		})
		if err := <-done; err != nil {
			t.Errorf("in the sweeper: %v", err)
		}
	})
}

func TestCallThatPanicsReleasesTheLock(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	func() {
		defer func() { _ = recover() }()
		var none context.Context
		_, _ = a.Publish(none, found("x"))
	}()
	if b.Last() != 0 {
		t.Error("published")
	}
	must(t, a, found("x"))
}

type panickingContext struct{ context.Context }

func (panickingContext) Err() error { panic("no") }

func TestContextThatPanicsWhileHandlersRunReleasesTheLock(t *testing.T) {
	b := newBus(t, nil)
	a, n := agent(t, b, "a"), 0
	handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s discovery) error {
		if n++; n < 4 {
			must(t, a, found("more"))
		}
		return nil
	})
	func() {
		defer func() { _ = recover() }()
		_, _ = a.Publish(panickingContext{t.Context()}, found("one"))
	}()
	if err := b.Shutdown(timetest.Context(t)); err != nil || n != 4 {
		t.Errorf("%v, %d handled", err, n)
	}
}
