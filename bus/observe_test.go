package bus_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestObserversSeeEverythingInOrder(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{History: 3, Sweep: -1, Clock: func() time.Time { return now }})
	events := watch(t, b)
	a, z := agent(t, b, "a"), agent(t, b, "z")
	sub := subscribe(t, b, bus.SubscribeOptions{Agent: "reader", Kinds: []signals.Kind{signals.KindDiscovery}})
	handle(t, b, bus.HandleOptions{Agent: "handler"}, func(context.Context, signals.Signal[signals.Discovery]) error { return nil })

	private := found("1")
	private.Recipients = signals.To("reader")
	must(t, a, private)
	_, _ = unread(sub)
	must(t, a, found("2"))
	must(t, a, proposes("", "p", "this"))
	must(t, z, proposes("", "q", "that"))
	now = now.Add(2 * time.Minute)
	b.Sweep()
	equal(t, "events", events(), []string{
		"published 1", "settled 1 for reader: delivered",
		"published 2", "settled 2 for handler: delivered",
		"published p",
		"published q", "opened p-q", "evicted 1", "published conflict", "evicted 2",
		"expired p", "expired q", "expired conflict", "ended p-q resolved=false",
	})
}

func TestObserverMayPanicPublishAndStop(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	var stop func()
	n := 0
	b.Observe(func(bus.Event) { panic("no") })
	stop = b.Observe(func(e bus.Event) {
		n++
		if p, ok := e.(bus.Published); ok && text(p.Signal) == "1" {
			must(t, a, found("2"))
			return
		}
		stop()
		stop()
	})
	must(t, a, found("1"))
	must(t, a, found("3"))
	if n != 2 {
		t.Errorf("saw %d events, want 2", n)
	}
}

func TestPublisherShowsTheEventsThatObserversCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes
		b := newBus(t, nil)
		a, seen := agent(t, b, "a"), 0
		b.Observe(func(bus.Event) {
			if seen++; seen == 1 {
				for range 20 {
					must(t, a, found("x"))
				}
			}
		})
		if must(t, a, found("one")); seen != 21 {
			t.Errorf("%d events shown, want 21", seen)
		}
	})
}

func TestObserverSeesEventsFromTheNextOneOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, block := agent(t, b, "a"), make(chan bool)
		b.Observe(func(bus.Event) { <-block })
		go must(t, a, found("1"))
		synctest.Wait()
		must(t, a, found("2"))
		events := watch(t, b)
		close(block)
		synctest.Wait()
		must(t, a, found("3"))
		synctest.Wait()
		equal(t, "seen", events(), []string{"published 3"})
	})
}

func TestStoppedObserverSeesNothingMore(t *testing.T) {
	b := newBus(t, nil)
	var stop func()
	b.Observe(func(bus.Event) { stop() })
	stop = b.Observe(func(bus.Event) { t.Error("seen") })
	must(t, agent(t, b, "a"), found("x"))
}

func TestPublisherDoesNotWaitForSignalsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, c, first := agent(t, b, "a"), agent(t, b, "c"), make(chan bool)
		seen := 0
		b.Observe(func(e bus.Event) {
			if _, ok := e.(bus.Published); ok {
				seen++
			}
			if seen == 1 {
				close(first)
			}
			time.Sleep(time.Millisecond)
		})
		go func() {
			<-first
			for range 2000 {
				must(t, c, found("x"))
			}
		}()
		began := time.Now()
		must(t, a, found("one"))
		if took := time.Since(began); took > 20*time.Millisecond {
			t.Errorf("kept for %v", took)
		}
		if err := b.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute) // observers are not waited for
		synctest.Wait()
		if seen != 2001 {
			t.Errorf("%d events shown", seen)
		}
	})
}

func TestShutdownInAnObserverOfAHandlersSignalsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, ended := agent(t, b, "a"), make(chan error, 1)
		b.Observe(func(e bus.Event) {
			if p, ok := e.(bus.Published); ok && text(p.Signal) == "two" {
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				ended <- b.Shutdown(ctx)
			}
		})
		handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Vote]) error {
			_, err := a.Publish(ctx, found("two"))
			return err
		})
		_, _ = a.Publish(t.Context(), votes("t", "p"))
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestSignalsThatALaggedReaderLosesToCloseAreReported(t *testing.T) {
	b := newBus(t, nil)
	a, events := agent(t, b, "a"), watch(t, b)
	s := subscribe(t, b, bus.SubscribeOptions{Agent: "r", Backlog: 1})
	must(t, a, found("1"))
	must(t, a, found("2"))
	b.Close()
	if _, err := s.Next(timetest.Context(t)); !errors.Is(err, bus.ErrClosed) {
		t.Fatal(err)
	}
	if all := events(); !slices.Contains(all, "settled 1 for r: closed") {
		t.Error(all)
	}
}

func TestAReaderWithHalfOfItsBacklogUnreadIsNotSlow(t *testing.T) {
	b := newBus(t, nil)
	a, events := agent(t, b, "a"), watch(t, b)
	subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}, Backlog: 4})
	must(t, a, votes("", "p"))
	must(t, a, votes("", "p"))
	must(t, a, found("not for it"))
	isSlow := func(e string) bool { return strings.HasPrefix(e, "slow") }
	if all := events(); slices.ContainsFunc(all, isSlow) {
		t.Error(all)
	}
	must(t, a, votes("", "p"))
	if all := events(); !slices.ContainsFunc(all, isSlow) {
		t.Error("more than half is unread:", all)
	}
}

func TestPastIsNoBacklog(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	for range 100 {
		must(t, a, found("x"))
	}
	events := watch(t, b)
	subscribe(t, b, bus.SubscribeOptions{Past: true, Backlog: 4, Agent: "r"})
	isSlow := func(e string) bool { return strings.HasPrefix(e, "slow") }
	must(t, a, found("1"))
	must(t, a, found("2"))
	if all := events(); slices.ContainsFunc(all, isSlow) {
		t.Error("half of the backlog is not more than half:", all)
	}
	must(t, a, found("3"))
	if all := events(); !slices.ContainsFunc(all, isSlow) {
		t.Error("more than half of the backlog is unread:", all)
	}
}

func TestSignalsThatAClosedHandlerLeavesAreReported(t *testing.T) {
	b := newBus(t, nil)
	settled := map[bus.Disposition]int{}
	b.Observe(func(e bus.Event) {
		if s, ok := e.(bus.Settled); ok {
			settled[s.Disposition]++
		}
	})
	var h *bus.Handler
	calls := 0
	h = made(bus.Handle(b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error {
		if calls++; calls == 1 {
			for range 5 {
				must(t, b.System(), found("left"))
			}
			h.Close()
		}
		return nil
	}))
	must(t, b.System(), found("handled"))
	is := b.Stats().Account
	if calls != 1 || is.DeadClosed != 5 || settled[bus.DeadClosed] != 5 || settled[bus.Delivered] != 1 {
		t.Errorf("%d calls, account %+v, observed %v; want 5 closed and 1 delivered", calls, is, settled)
	}
}
