package bus_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func TestEndedContextEndsTheNextReadDespiteUnreadSignals(t *testing.T) {
	for name, clock := range map[string]func() time.Time{"machine's clock": nil, "clock of its own": time.Now} {
		b := newBus(t, &bus.Options{Clock: clock})
		a := agent(t, b, "a")
		sub := subscribe(t, b, bus.SubscribeOptions{})
		for range 100 {
			must(t, a, found("x"))
		}
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if s, err := sub.Next(ctx); !errors.Is(err, why) || s != nil {
			t.Errorf("%s: Next: %v, %v; want the cause", name, s, err)
		}
		if n, err := sub.Read(ctx, make([]signals.Any, 9)); !errors.Is(err, why) || n != 0 {
			t.Errorf("%s: Read: %d, %v; want the cause", name, n, err)
		}
		for s, err := range sub.All(ctx) {
			if !errors.Is(err, why) || s != nil {
				t.Errorf("%s: All: %v, %v; want the cause", name, s, err)
			}
		}
		if left, err := unread(sub); len(left) != 100 || err != nil {
			t.Errorf("%s: %d are unread, %v; want all 100", name, len(left), err)
		}
	}
}

func TestContextThatEndsInALoopEndsTheLoopWithinABatch(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{})
	for range 200 {
		must(t, a, found("x"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var read []signals.Any
	var last error
	for s, err := range sub.All(ctx) {
		if last = err; err != nil {
			break
		}
		if read = append(read, s); len(read) == 70 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || len(read) != 70 {
		t.Errorf("read %d, then %v; want 70 and the end of the context", len(read), last)
	}
	rest, _ := unread(sub)
	if all := seqs(append(read, rest...)); len(all) != 200 || all[70] != 71 {
		t.Errorf("read %d in all, want 200 in log order", len(all))
	}
	if k := balanced(t, b).Account; k.Delivered != 200 {
		t.Errorf("account %+v", k)
	}
}

// A handler cannot be interrupted, but its publisher's context can end.
func TestBlockedHandlerHoldsItsPublisherNoLongerThanTheContext(t *testing.T) {
	publishes := map[string]func(context.Context, *bus.Bus) error{
		"Publish": func(ctx context.Context, b *bus.Bus) error {
			_, err := b.System().Publish(ctx, found("x"))
			return err
		},
		"PublishAll": func(ctx context.Context, b *bus.Bus) error {
			_, err := b.System().PublishAll(ctx, found("x"), found("y"))
			return err
		},
		"Feed": func(ctx context.Context, b *bus.Bus) error {
			return b.Feed(ctx, signals.With(found("x"), signals.Header{
				Seq: 1, ID: signals.MustID("x"), Source: "a", Time: time.Now(),
			}))
		},
	}
	for name, publish := range publishes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBus(t, nil)
				leave, handled := make(chan struct{}), 0
				handle(t, b, bus.HandleOptions{}, func(context.Context, discovery) error {
					<-leave
					handled++
					return nil
				})
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				began := time.Now()
				if err := publish(ctx, b); err != nil {
					t.Errorf("%v, want nil: the signal is in the log", err)
				}
				if took := time.Since(began); took != 50*time.Millisecond {
					t.Errorf("held for %v, want 50ms", took)
				}
				close(leave)
				if err := b.Shutdown(t.Context()); err != nil || handled != int(b.Last()) {
					t.Errorf("shutdown: %v, %d of %d handled", err, handled, b.Last())
				}
			})
		})
	}
}

func TestPublisherWaitsForItsHandlersThoughItsContextCanEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		handled := false
		handle(t, b, bus.HandleOptions{}, func(context.Context, discovery) error {
			time.Sleep(30 * time.Millisecond)
			handled = true
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := agent(t, b, "a").Publish(ctx, found("x")); err != nil || !handled {
			t.Errorf("%v, handled %v; want it to be handled when Publish returns", err, handled)
		}
	})
}

// Observers also see the events of handlers that run on after their publisher has left.
func TestEventsOfHandlersThatOutlastTheirPublisherAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		events := watch(t, b)
		handle(t, b, bus.HandleOptions{Agent: "h"}, func(context.Context, discovery) error {
			time.Sleep(80 * time.Millisecond)
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := agent(t, b, "a").Publish(ctx, found("x")); err != nil {
			t.Error(err)
		}
		time.Sleep(40 * time.Millisecond)
		synctest.Wait()
		equal(t, "events", events(), []string{"published x", "settled x for h: delivered"})
	})
}
