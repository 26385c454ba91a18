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
	var missed uint64
	b.Observe(func(e bus.Event) {
		once.Do(func() { close(blocked); <-block })
		if m, ok := e.(bus.Missed); ok {
			missed += m.Events
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
	if missed == 0 || missed > 2*n {
		t.Errorf("missed %d events", missed)
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
