package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func TestTwoAgentsThatPublishFromTheirWaitingReadersDoNotDeadlock(t *testing.T) {
	b := newBus(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	const n = 50
	for i := range 2 {
		me := agent(t, b, fmt.Sprint("a", i))
		sub, err := me.Subscribe(bus.SubscribeOptions{Backlog: 4, WhenFull: bus.Wait})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range n {
				if _, err := sub.Next(ctx); err != nil {
					t.Error(err)
					return
				}
				for range 3 {
					if _, err := me.Publish(ctx, found("x")); err != nil && !errors.Is(err, bus.ErrBacklog) {
						t.Error(err)
						return
					}
				}
			}
			sub.Close()
		})
	}
	must(t, b.System(), found("x"))
	wg.Wait()
}

func TestPollSaysWhyThereIsNothing(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Backlog: 1})
	if s, err := sub.Poll(); s != nil || err != nil {
		t.Errorf("nothing there: %v, %v", s, err)
	}
	must(t, a, found("1"))
	must(t, a, found("2"))
	if s, err := sub.Poll(); err != nil || text(s) != "1" {
		t.Errorf("got %v, %v", s, err)
	}
	if s, err := sub.Poll(); s != nil || !errors.Is(err, bus.ErrLagged) {
		t.Errorf("lagged: %v, %v", s, err)
	}
	sub.Close()
	if s, err := sub.Poll(); s != nil || !errors.Is(err, bus.ErrClosed) {
		t.Errorf("closed: %v, %v", s, err)
	}
}

func TestObserverThatBlocksStopsNobodyAndIsNamed(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	block, blocked := make(chan struct{}), make(chan struct{})
	var once sync.Once
	missed := make(chan uint64, 10)
	b.Observe(func(e bus.Event) {
		once.Do(func() { close(blocked); <-block })
		if m, ok := e.(bus.Missed); ok {
			missed <- m.Events
		}
	})
	first := make(chan struct{})
	go func() { defer close(first); must(t, a, found("x")) }()
	<-blocked
	const n = 70_000
	for range n {
		must(t, a, found("x"))
	}
	if !slices.ContainsFunc(b.Stats().Readers, func(r bus.ReaderStats) bool {
		return r.Running > 0 && strings.Contains(r.Site, "waiting_test.go")
	}) {
		t.Errorf("not named: %+v", b.Stats().Readers)
	}
	close(block)
	<-first
	must(t, a, found("x")) // comes behind what was missed
	select {
	case m := <-missed:
		if m == 0 || m > 2*n {
			t.Errorf("missed %d events", m)
		}
	case <-soon(t).Done():
		t.Error("told of nothing missed")
	}
}

func TestWhereThatPanicsLosesOneSignal(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Where: func(s signals.Any) bool {
		if text(s) == "2" {
			panic("no")
		}
		return true
	}})
	for i := range 5 {
		must(t, a, found(fmt.Sprint(i)))
	}
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return
	}
	if !panics(func() { _, _ = sub.Read(t.Context(), make([]signals.Any, 9)) }) {
		t.Error("the panic did not reach the caller")
	}
	if k := sub.Books(); k.DeadFailed != 1 || k.Delivered != 0 || k.Pending != 4 || !k.Balanced() {
		t.Errorf("after a batch: %+v", k)
	}
	got, _ := unread(sub)
	equal(t, "the others", texts(got), []string{"0", "1", "3", "4"})
}

// A reader that gives up after it was woken wakes the next, who would else
// sleep on.
func TestReaderThatGivesUpWakesTheNext(t *testing.T) {
	readers := map[string]func(b *bus.Bus) func(context.Context){
		"subscription": func(b *bus.Bus) func(context.Context) {
			s := subscribe(t, b, bus.SubscribeOptions{})
			return func(ctx context.Context) { _, _ = s.Next(ctx) }
		},
		"tap": func(b *bus.Bus) func(context.Context) {
			tap := b.Tap(bus.Filter{})
			return func(ctx context.Context) { _, _, _ = tap.Next(ctx) }
		},
	}
	for name, open := range readers {
		t.Run(name, func(t *testing.T) {
			for range 50 {
				synctest.Test(t, func(t *testing.T) {
					b := newBus(t, nil)
					a, first, second := agent(t, b, "a"), open(b), subscribe(t, b, bus.SubscribeOptions{})
					ctx, cancel := context.WithCancel(t.Context())
					go first(ctx)
					synctest.Wait() // it is the first in the queue
					got := make(chan error, 1)
					go func() {
						_, err := second.Next(soon(t))
						got <- err
					}()
					synctest.Wait()
					cancel()
					must(t, a, found("x")) // often wakes the first before that has left the queue
					if err := <-got; err != nil {
						t.Fatal(err)
					}
				})
			}
		})
	}
}

// Each of the two would have room but for the other's subscription, and neither
// reads while it publishes.
func TestWhoseOwnSubscriptionIsFullNeverWaitsForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, c := agent(t, b, "a"), agent(t, b, "c")
		subscribe(t, b, bus.SubscribeOptions{Agent: "a", Kinds: []signals.Kind{signals.KindDiscovery}, Backlog: 8, WhenFull: bus.Wait})
		subscribe(t, b, bus.SubscribeOptions{Agent: "c", Kinds: []signals.Kind{signals.KindVote}, Backlog: 8, WhenFull: bus.Wait})
		for range 8 {
			must(t, a, votes("t", "p"))
			must(t, c, found("x"))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		failed := make(chan error, 2)
		go func() { _, err := a.Publish(ctx, votes("t", "p")); failed <- err }()
		go func() { _, err := c.Publish(ctx, found("x")); failed <- err }()
		for range 2 {
			if err := <-failed; !errors.Is(err, bus.ErrBacklog) {
				t.Error(err)
			}
		}
	})
}

func TestWhoseOwnSubscriptionFillsUpWhileItWaitsStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, c, d := agent(t, b, "a"), agent(t, b, "c"), agent(t, b, "d")
		both := signals.Kind("x/1")
		of := subscribe(t, b, bus.SubscribeOptions{Agent: "a", Kinds: []signals.Kind{signals.KindDiscovery, both}, Backlog: 8, WhenFull: bus.Wait})
		subscribe(t, b, bus.SubscribeOptions{Agent: "c", Kinds: []signals.Kind{signals.KindVote, both}, Backlog: 8, WhenFull: bus.Wait})
		for range 8 {
			must(t, d, found("x"))
		}
		x := func() signals.Any { return signals.New(signals.Header{}, signals.Raw{Type: both, JSON: "1"}) }
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		first, second := make(chan error), make(chan error)
		go func() { _, err := c.PublishAll(ctx, x(), x(), x(), x(), x()); first <- err }()
		synctest.Wait()
		for range 8 {
			must(t, d, votes("t", "p"))
		}
		if _, err := of.Next(ctx); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		go func() { _, err := a.Publish(ctx, x()); second <- err }()
		if err := <-first; !errors.Is(err, bus.ErrBacklog) || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := <-second; !errors.Is(err, context.DeadlineExceeded) { // nobody reads what a waits for
			t.Error(err)
		}
	})
}

func TestPublisherWaitsForItsOwnNeedAlone(t *testing.T) {
	for _, gives := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBus(t, nil)
			a, c := agent(t, b, "a"), agent(t, b, "c")
			s := subscribe(t, b, bus.SubscribeOptions{Backlog: 96, WhenFull: bus.Wait})
			for range 96 {
				must(t, a, found("x"))
			}
			many := make([]signals.Any, 96)
			for i := range many {
				many[i] = found("many")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { _, _ = c.PublishAll(ctx, many...) }()
			synctest.Wait()
			published := false
			go func() { _, _ = a.Publish(t.Context(), found("one")); published = true }()
			synctest.Wait()
			if gives {
				cancel()
			}
			for range 96 / 8 {
				if published {
					t.Error("woken before there was room for an eighth")
				}
				if _, err := s.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if !published {
				t.Errorf("given up %v: with room for an eighth it still waits", gives)
			}
			b.Close()
		})
	}
}

func TestOwnBacklogIsAskedForWhatComesAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, c := agent(t, b, "a"), agent(t, b, "c")
		subscribe(t, b, bus.SubscribeOptions{Agent: "a", Backlog: 80, WhenFull: bus.Wait})
		other := subscribe(t, b, bus.SubscribeOptions{Agent: "c", Backlog: 75, WhenFull: bus.Wait})
		for range 75 {
			must(t, c, found("x"))
		}
		failed := make(chan error)
		go func() { _, err := a.Publish(t.Context(), found("y")); failed <- err }()
		synctest.Wait()
		_, _ = unread(other)
		if err := <-failed; err != nil {
			t.Errorf("75 of 80 in its own, none in the other: %v", err)
		}
	})
}

func TestWhatIsGivenBackWakesAnotherCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, s := agent(t, b, "a"), subscribe(t, b, bus.SubscribeOptions{})
		for range 7 {
			must(t, a, found("x"))
		}
		got, n := false, 0
		for range s.All(t.Context()) {
			if n++; n == 4 { // the first of a batch with all that there is
				go func() { _, err := s.Next(t.Context()); got = err == nil }()
				synctest.Wait()
				break
			}
		}
		synctest.Wait()
		if !got {
			t.Errorf("a caller waits beside %d unread signals", s.Books().Pending)
		}
	})
}

func TestNobodyPublishesIntoABacklogThatWasGivenBackFull(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	s := subscribe(t, b, bus.SubscribeOptions{Backlog: 64, WhenFull: bus.Wait})
	for range 64 {
		must(t, a, found("x"))
	}
	n := 0
	for range s.All(t.Context()) {
		if n++; n == 32 { // the first of a batch of 32
			for range 40 {
				must(t, a, found("y"))
			}
			break
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Publish(over, found("one too many")); err == nil {
		t.Errorf("%d are unread", s.Books().Pending)
	}
}

func TestWhoGaveUpIsNotWokenForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		first, second := subscribe(t, b, bus.SubscribeOptions{}), subscribe(t, b, bus.SubscribeOptions{})
		go func() { _, _ = first.Next(ctx) }()
		synctest.Wait()
		got := false
		go func() { _, err := second.Next(t.Context()); got = err == nil }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		must(t, agent(t, b, "a"), found("x"))
		synctest.Wait()
		if !got {
			t.Error("it waits beside a signal")
		}
	})
}

func TestHandledSignalsMakeRoomForOthers(t *testing.T) {
	b := newBus(t, &bus.Options{Undrained: 3})
	handle(t, b, bus.HandleOptions{}, func(context.Context, discovery) error { return nil })
	for range 10 {
		must(t, agent(t, b, "a"), found("x"))
	}
}

func TestSignalsWithoutHandlersNeedNoRoomBeforeHandlers(t *testing.T) {
	b := newBus(t, &bus.Options{Undrained: 3})
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Vote]) error { return nil })
	if _, err := agent(t, b, "a").PublishAll(soon(t), found("1"), found("2"), found("3"), votes("t", "p"), found("5")); err != nil {
		t.Error(err)
	}
}
