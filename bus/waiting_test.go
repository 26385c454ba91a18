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

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

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

func TestObserverThatBlocksStopsNoOneAndIsNamed(t *testing.T) {
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
	case <-timetest.Context(t).Done():
		t.Error("no Missed event")
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
	if k := sub.Account(); k.DeadFailed != 1 || k.Delivered != 0 || k.Pending != 4 || !k.Balanced() {
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
						_, err := second.Next(timetest.Context(t))
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

func TestGivingBackWakesAnotherCaller(t *testing.T) {
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
			t.Errorf("a caller waits beside %d unread signals", s.Account().Pending)
		}
	})
}

func TestReaderThatGaveUpIsNotWokenForOthers(t *testing.T) {
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
	if _, err := agent(t, b, "a").PublishAll(timetest.Context(t), found("1"), found("2"), found("3"), votes("t", "p"), found("5")); err != nil {
		t.Error(err)
	}
}
