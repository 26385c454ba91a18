package bus_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestHandlersRunOneAtATimeInLogOrderAtAnyDepth(t *testing.T) {
	b := newBus(t, &bus.Options{History: 10})
	a := agent(t, b, "a")
	const depth = 5000
	var order []string
	first := handle(t, b, bus.HandleOptions{Agent: "1"}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		order = append(order, fmt.Sprint("1:", s.Seq))
		if s.Seq < depth {
			_, err := a.Publish(ctx, found("x"))
			return err
		}
		return nil
	})
	handle(t, b, bus.HandleOptions{Agent: "2"}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		order = append(order, fmt.Sprint("2:", s.Seq))
		return nil
	})
	must(t, a, found("x"))
	if err := b.Sync(timetest.Context(t), depth); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := 1; i <= depth; i++ {
		want = append(want, fmt.Sprint("1:", i), fmt.Sprint("2:", i))
	}
	if !slices.Equal(order, want) {
		t.Errorf("order: %d calls, want %d, or not in order", len(order), len(want))
	}
	first.Close()
	if k := balanced(t, b).Account; k.Delivered != 2*depth || k.Pending != 0 {
		t.Errorf("account %+v", k)
	}
}

func TestHandlersOfManyPublishersNeverOverlap(t *testing.T) {
	b := newBus(t, nil)
	ctx := timetest.Context(t)
	var running, overlaps atomic.Int32
	var last uint64
	handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		if running.Add(1) != 1 {
			overlaps.Add(1)
		}
		if s.Seq != last+1 {
			t.Errorf("seq %d after %d", s.Seq, last)
		}
		last = s.Seq
		runtime.Gosched()
		running.Add(-1)
		return nil
	})
	var wg sync.WaitGroup
	for p := range 4 {
		from := agent(t, b, fmt.Sprint(p))
		wg.Go(func() {
			for range 500 {
				must(t, from, found("x"))
			}
		})
	}
	wg.Wait()
	if err := b.Sync(ctx, 2000); err != nil || last != 2000 || overlaps.Load() != 0 {
		t.Errorf("handled up to %d with %d overlaps, %v; want 2000 and none", last, overlaps.Load(), err)
	}
}

func TestHandlerGetsItsKindAndRecipient(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	var got []string
	record := func(name string) func(context.Context, signals.Signal[signals.Discovery]) error {
		return func(_ context.Context, s signals.Signal[signals.Discovery]) error {
			got = append(got, name+":"+s.Payload.Finding)
			return nil
		}
	}
	handle(t, b, bus.HandleOptions{}, record("all"))
	handle(t, b, bus.HandleOptions{Agent: "me"}, record("me"))
	must(t, a, foundIn("t", "1"))
	must(t, a, votes("t", "x"))
	private := found("2")
	private.Recipients = signals.To("me")
	must(t, a, private)
	handle(t, b, bus.HandleOptions{}, record("late"))
	must(t, a, found("3"))
	equal(t, "handled", got, []string{"all:1", "me:1", "me:2", "all:3", "me:3", "late:3"})
	if k := balanced(t, b).Account; k.Intended != 6 || k.Delivered != 6 {
		t.Errorf("account %+v", k)
	}
}

func TestPanicAndErrorHarmNoOneElse(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	var failures []error
	b.Observe(func(e bus.Event) {
		if s, ok := e.(bus.Settled); ok && s.Disposition == bus.DeadFailed {
			failures = append(failures, s.Err)
		}
	})
	boom := errors.New("boom")
	var healthy int
	run := func(f func()) func(context.Context, signals.Signal[signals.Discovery]) error {
		return func(context.Context, signals.Signal[signals.Discovery]) error { f(); return nil }
	}
	handle(t, b, bus.HandleOptions{}, run(func() { panic("oops") }))
	handle(t, b, bus.HandleOptions{}, run(func() { healthy++ }))
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error { return boom })
	handle(t, b, bus.HandleOptions{}, run(func() { var none []int; none[len(none)]++ }))
	handle(t, b, bus.HandleOptions{}, run(func() { healthy++ }))
	must(t, a, found("1"))
	must(t, a, found("2"))
	if healthy != 4 {
		t.Errorf("the healthy ones ran %d times, want 4", healthy)
	}
	if len(failures) != 6 {
		t.Fatalf("%d failures seen, want 6: %v", len(failures), failures)
	}
	var p *bus.PanicError
	if !errors.As(failures[0], &p) || p.Value != "oops" || len(p.Stack) == 0 || !errors.Is(failures[1], boom) {
		t.Errorf("failures %v", failures)
	}
	if k := balanced(t, b).Account; k.DeadFailed != 6 || k.Delivered != 4 {
		t.Errorf("account %+v", k)
	}
}

func TestOnErrorIsCalledForFailuresOfHandlers(t *testing.T) {
	var failed []bus.Settled
	b := newBus(t, &bus.Options{OnError: func(s bus.Settled) { failed = append(failed, s) }})
	a, boom := agent(t, b, "a"), errors.New("boom")
	handle(t, b, bus.HandleOptions{Agent: "b"}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		if s.Payload.Finding == "2" {
			return boom
		}
		return nil
	})
	for _, finding := range []string{"1", "2", "3"} {
		must(t, a, found(finding))
	}
	if len(failed) != 1 || failed[0].Reader != "b" || failed[0].Signal.Head().Seq != 2 || !errors.Is(failed[0].Err, boom) {
		t.Errorf("got %+v", failed)
	}
}

func TestAnUnsubscribedAgentGetsNothingMore(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	heard := map[string]int{}
	for _, id := range []string{"b", "c", "b"} {
		handle(t, b, bus.HandleOptions{Agent: id}, func(context.Context, signals.Signal[signals.Discovery]) error {
			heard[id]++
			return nil
		})
	}
	subs := map[string]*bus.Subscription{}
	for _, id := range []string{"b", "c"} {
		s, err := b.Subscribe(bus.SubscribeOptions{Agent: id})
		if err != nil {
			t.Fatal(err)
		}
		subs[id] = s
	}
	must(t, a, found("1"))
	if n := b.Unsubscribe("b"); n != 3 {
		t.Errorf("ended %d readers, want 3", n)
	}
	if n := b.Unsubscribe("b"); n != 0 {
		t.Errorf("ended %d readers of an agent that has none", n)
	}
	must(t, a, found("2"))
	if heard["b"] != 2 || heard["c"] != 2 {
		t.Errorf("handlers heard %v", heard)
	}
	if s, err := subs["b"].Poll(); s != nil || !errors.Is(err, bus.ErrClosed) {
		t.Errorf("read %v, %v", s, err)
	}
	if s, err := subs["c"].Poll(); s == nil || err != nil {
		t.Errorf("the other agent read %v, %v", s, err)
	}
	balanced(t, b)
}

func TestHandlerThatEndsItsGoroutineLosesNothing(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	var handled []string
	handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		handled = append(handled, s.Payload.Finding)
		if s.Payload.Finding == "1" {
			must(t, a, found("2"))
			runtime.Goexit()
		}
		return nil
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = a.Publish(context.Background(), found("1"))
	}()
	<-done
	if err := b.Sync(timetest.Context(t), 2); err != nil {
		t.Fatal(err)
	}
	equal(t, "handled", handled, []string{"1", "2"})
	if err := b.Shutdown(timetest.Context(t)); err != nil {
		t.Error(err)
	}
	if k := balanced(t, b).Account; k.DeadFailed != 1 || k.Delivered != 1 {
		t.Errorf("account %+v", k)
	}
}

func TestBlockedHandlerDelaysNeitherPublishingNorSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Undrained: 10})
		a := agent(t, b, "a")
		goOn := make(chan struct{})
		handle(t, b, bus.HandleOptions{Agent: "stuck"}, func(context.Context, signals.Signal[signals.Discovery]) error {
			<-goOn
			return nil
		})
		sub := subscribe(t, b, bus.SubscribeOptions{})
		go must(t, a, found("0"))
		synctest.Wait()
		for i := 1; i < 10; i++ {
			must(t, a, found(fmt.Sprint(i)))
		}
		if _, err := a.Publish(context.Background(), found("too many")); !errors.Is(err, bus.ErrBacklog) {
			t.Errorf("beyond the bound: %v, want ErrBacklog", err)
		}
		got, _ := unread(sub)
		if len(got) != 10 {
			t.Errorf("subscription read %d, want 10", len(got))
		}
		time.Sleep(time.Second)
		s := balanced(t, b)
		named := ""
		for _, r := range s.Readers {
			if r.Running >= 500*time.Millisecond {
				named = r.Agent + " " + r.Site
			}
		}
		if !strings.HasPrefix(named, "stuck ") || !strings.Contains(named, "_test.go:") {
			t.Errorf("the blocked handler is not named: %+v", s.Readers)
		}
		close(goOn)
		if err := b.Sync(context.Background(), 10); err != nil {
			t.Error(err)
		}
		if k := balanced(t, b).Account; k.Pending != 0 || k.Delivered != 20 {
			t.Errorf("account %+v", k)
		}
	})
}

func TestSlowHandlerIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a := agent(t, b, "a")
		var slow []bus.Slow
		b.Observe(func(e bus.Event) {
			if s, ok := e.(bus.Slow); ok {
				slow = append(slow, s)
			}
		})
		handle(t, b, bus.HandleOptions{Agent: "quick"}, func(context.Context, signals.Signal[signals.Discovery]) error { return nil })
		handle(t, b, bus.HandleOptions{Agent: "sleeper"}, func(context.Context, signals.Signal[signals.Discovery]) error {
			time.Sleep(400 * time.Millisecond)
			return nil
		})
		handle(t, b, bus.HandleOptions{Agent: "quick"}, func(context.Context, signals.Signal[signals.Discovery]) error { return nil })
		must(t, a, found("x"))
		if len(slow) != 1 || slow[0].Reader != "sleeper" || slow[0].Took < 100*time.Millisecond || !strings.Contains(slow[0].Site, "_test.go:") {
			t.Errorf("named %+v, want the sleeper once", slow)
		}
	})
}

func TestWatchdogSleepsWhenNoHandlerRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Sweep: -1})
		a := agent(t, b, "a")
		handle(t, b, bus.HandleOptions{}, func(context.Context, discovery) error { return nil })
		watched := func() bool {
			synctest.Wait()
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			return slices.ContainsFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
				return strings.Contains(stack, "synctest bubble") && strings.Contains(stack, "(*run).watch(")
			})
		}
		for range 2 {
			if must(t, a, found("x")); !watched() {
				t.Error("not watched")
			}
			if time.Sleep(time.Second); watched() {
				t.Error("watched though nothing runs")
			}
		}
	})
}

func TestHandlersComeAndGoInsideHandlers(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	var got []string
	var second *bus.Handler
	handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		got = append(got, "first:"+s.Payload.Finding)
		if s.Payload.Finding == "1" {
			must(t, a, found("2"))
			second.Close()
			handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
				got = append(got, "third:"+s.Payload.Finding)
				return nil
			})
			must(t, a, found("3"))
		}
		return nil
	})
	second = handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		got = append(got, "second:"+s.Payload.Finding)
		return nil
	})
	must(t, a, found("1"))
	// The second was closed before its turn, the third wants what came after it.
	equal(t, "handled", got, []string{"first:1", "first:2", "first:3", "third:3"})
	if k := balanced(t, b).Account; k.Intended != 6 || k.Delivered != 4 || k.DeadClosed != 2 {
		t.Errorf("account %+v", k)
	}
}

func TestHandlerMayCloseItself(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	n := 0
	var h *bus.Handler
	h = handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error {
		n++
		h.Close()
		h.Close()
		return nil
	})
	must(t, a, found("1"))
	if err := b.Sync(timetest.Context(t), b.Last()); err != nil {
		t.Fatal(err)
	}
	must(t, a, found("2"))
	if k := balanced(t, b).Account; n != 1 || k.Intended != 1 || k.Delivered != 1 {
		t.Errorf("ran %d times, account %+v; want once", n, k)
	}
}

func TestHandleRefusesTypesThatAreNoPayloads(t *testing.T) {
	b := newBus(t, nil)
	if _, err := bus.Handle(b, bus.HandleOptions{}, func(context.Context, signals.Signal[*signals.Vote]) error { return nil }); err == nil {
		t.Error("a pointer as a payload was accepted")
	}
	b.Close()
	if _, err := bus.Handle(b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Vote]) error { return nil }); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

type impostor struct{ signals.Discovery }

func TestHandlerFailsOnASignalOfAnotherPayloadType(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	n := 0
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error { n++; return nil })
	must(t, a, signals.New(signals.Header{}, impostor{signals.Discovery{Finding: "x"}}))
	must(t, a, found("y"))
	if k := balanced(t, b).Account; n != 1 || k.DeadFailed != 1 || k.Delivered != 1 {
		t.Errorf("ran %d times, account %+v", n, k)
	}
}

// The bus drains its handlers even if they keep publishing.
func TestPublisherDrivesHandlersNoLongerThanItsShare(t *testing.T) {
	for name, c := range map[string]struct {
		each    time.Duration // that a handler takes
		timeout time.Duration // of the publisher's context
		most    time.Duration // that the publisher is kept
		stuck   int           // the entry that is handled no sooner than the publisher is back; 0: none
	}{
		"entries": {timeout: time.Hour, stuck: 1 + 64 + 2},
		"time":    {each: 4 * time.Millisecond, timeout: time.Hour, most: 20 * time.Millisecond},
		"context": {each: 2 * time.Millisecond, timeout: 3 * time.Millisecond, most: 6 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBus(t, nil)
			a, back, n := agent(t, b, "a"), make(chan bool), 0
			handle(t, b, bus.HandleOptions{}, func(ctx context.Context, _ discovery) error {
				if n++; n == c.stuck {
					<-back
				}
				time.Sleep(c.each)
				if n < 100 {
					_, err := a.Publish(ctx, found("more"))
					return err
				}
				return nil
			})
			ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
			defer cancel()
			began := time.Now()
			_, err := a.Publish(ctx, found("one"))
			if took := time.Since(began); err != nil || took > c.most {
				t.Errorf("%s: kept for %v, %v", name, took, err)
			}
			close(back)
			time.Sleep(time.Minute) // until the bus is done with the rest
			if err := b.Shutdown(t.Context()); err != nil || n != 100 {
				t.Errorf("%s: %d were handled, %v", name, n, err)
			}
		})
	}
}
