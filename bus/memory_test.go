package bus_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

// heap returns what is reachable.
func heap() int {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestSubscriptionThatLaggedKeepsNothingOfTheLog(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a := agent(t, b, "a")
	var lagged []*bus.Subscription
	for range 20 {
		lagged = append(lagged, subscribe(t, b, bus.SubscribeOptions{Backlog: 10}))
	}
	for range 5_000 {
		must(t, a, found("x"))
	}
	before := heap()
	for range 100_000 {
		must(t, a, found("x"))
	}
	if grown := heap() - before; grown > 2<<20 {
		t.Errorf("%d kB more after 100,000 signals that nobody can read", grown>>10)
	}
	got, err := unread(lagged[0])
	if len(got) != 10 || !errors.Is(err, bus.ErrLagged) {
		t.Errorf("kept %d, %v", len(got), err)
	}
	runtime.KeepAlive(lagged)
}

func TestReaderWithNothingToReadKeepsNothingOfTheLog(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a := agent(t, b, "a")
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for i := range 20 {
		waiting := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}})
		if i > 0 {
			wg.Go(func() { _, _ = waiting.Next(ctx) })
		} // and one that does not even wait
	}
	for range 5_000 {
		must(t, a, found("x"))
	}
	before := heap()
	for range 150_000 {
		must(t, a, found("x"))
	}
	if grown := heap() - before; grown > 20<<20 { // half a backlog at most, 32768 signals
		t.Errorf("%d kB more after 150,000 signals that nobody wants", grown>>10)
	}
}

func TestReaderKeepsNothingThatItHasRead(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a, reader := agent(t, b, "a"), subscribe(t, b, bus.SubscribeOptions{Backlog: 1 << 30})
	read := func(n int) {
		for range n {
			must(t, a, found("x"))
			if s, err := reader.Poll(); s == nil || err != nil {
				t.Fatal(s, err)
			}
		}
	}
	read(2_000)
	before := heap()
	read(50_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d kB more after 50,000 signals that were read at once", grown>>10)
	}
	runtime.KeepAlive(reader)
}

func TestClosedReadersLeaveNothing(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	churn := func(n int) {
		for i := range n {
			thread := fmt.Sprint("t", i)
			sub := subscribe(t, b, bus.SubscribeOptions{Threads: []string{thread}, Kinds: []signals.Kind{signals.KindVote}})
			lagging := subscribe(t, b, bus.SubscribeOptions{Backlog: 1})
			h := handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Vote]) error { return nil })
			must(t, a, votes(thread, "p"))
			must(t, a, votes(thread, "p"))
			must(t, a, votes(thread, "p"))
			sub.Close()
			h.Close()
			if i%2 == 0 {
				lagging.Close() // the others are forgotten
			}
		}
	}
	churn(2_000)
	before := heap()
	churn(10_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d kB more after 20,000 readers", grown>>10)
	}
	balanced(t, b)
}

func TestEndedProposalsLeaveNothing(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, History: 64})
	a := agent(t, b, "a")
	lives := func(ttl time.Duration) {
		p := proposes("t", "p", "content")
		p.TTL = ttl
		must(t, a, p)
		now = now.Add(2 * time.Second)
	}
	churn := func(n int) int {
		for range n {
			lives(time.Second)
		}
		return heap()
	}
	lives(-1)
	before := churn(1_000)
	if grown := churn(50_000) - before; grown > 1<<20 {
		t.Errorf("%d kB more after 50,000 proposals", grown>>10)
	}
}

func TestIdleBucketsAreForgotten(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Rate: 10, Clock: func() time.Time { return now }, Sweep: -1})
	churn := func(from, to int) {
		for i := from; i < to; i++ {
			must(t, agent(t, b, fmt.Sprint("agent-with-a-long-name-", i)), found("x"))
		}
		now = now.Add(time.Hour)
		b.Sweep()
	}
	churn(0, 5_000)
	before := heap()
	churn(5_000, 20_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d kB more after 15,000 agents that went away", grown>>10)
	}
}

func TestEndedSubscriptionKeepsNothingWhileAnotherReads(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a := agent(t, b, "a")
	lagged, closed := subscribe(t, b, bus.SubscribeOptions{Backlog: 10}), subscribe(t, b, bus.SubscribeOptions{})
	other := subscribe(t, b, bus.SubscribeOptions{})
	drain := func(n int) {
		for range n {
			must(t, a, found("x"))
			if s, err := other.Poll(); s == nil || err != nil {
				t.Fatal(s, err)
			}
		}
	}
	drain(5_000)
	closed.Account() // which looks ahead
	closed.Close()
	before := heap()
	drain(100_000)
	if grown := heap() - before; grown > 2<<20 {
		t.Errorf("%d kB more", grown>>10)
	}
	runtime.KeepAlive(lagged)
	runtime.KeepAlive(closed)
}

func TestWaitingReaderKeepsLittleForAnyBacklog(t *testing.T) {
	b := newBus(t, &bus.Options{TTL: -1})
	a, reader := agent(t, b, "a"), subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{"none"}, Backlog: 1 << 20})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = reader.Next(ctx) })
	defer wg.Wait()
	defer cancel()
	for range 20_000 { // by then it waits
		must(t, a, found("x"))
		runtime.Gosched()
	}
	for range 5_000 {
		must(t, a, found("x"))
	}
	before := heap()
	for range 60_000 {
		must(t, a, found("x"))
	}
	if grown := heap() - before; grown > 8192*300 {
		t.Errorf("%d kB more after 60,000 signals that it does not want", grown>>10)
	}
}

func TestDroppedAndReadSignalsAreLetGo(t *testing.T) {
	large := func(bytes int) signals.Any {
		return signals.New(signals.Header{}, signals.Raw{Type: "large", JSON: strconv.Quote(strings.Repeat("x", bytes))})
	}
	for name, end := range map[string]func(*bus.Publisher, *bus.Subscription){
		"dropped": func(_ *bus.Publisher, s *bus.Subscription) { s.Close() },
		"read": func(_ *bus.Publisher, s *bus.Subscription) {
			for range 1001 {
				_, _ = s.Poll()
			}
		},
	} {
		b := newBus(t, &bus.Options{History: 1})
		a := agent(t, b, "a")
		s := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{"large"}, Backlog: 1000})
		before := heap()
		for range 1000 {
			must(t, a, large(5_000))
		}
		for range 9_000 { // until they are set aside
			must(t, a, found("x"))
		}
		end(a, s)
		if grown := heap() - before; grown > 2<<20 {
			t.Errorf("%s: %d kB more when 5 MB were", name, grown>>10)
		}
		runtime.KeepAlive(s)
	}
}

func TestReturnedSignalsDoNotChange(t *testing.T) {
	for name, get := range map[string]func(*bus.Bus, *bus.Subscription, bus.Receipt) signals.Any{
		"Get": func(b *bus.Bus, s *bus.Subscription, r bus.Receipt) signals.Any {
			s.Close()
			got, _ := b.Get(r.ID)
			return got
		},
		"a reader that was closed": func(b *bus.Bus, s *bus.Subscription, r bus.Receipt) signals.Any {
			got, _ := s.Poll()
			s.Close()
			return got
		},
	} {
		b := newBus(t, &bus.Options{History: 1})
		s := subscribe(t, b, bus.SubscribeOptions{})
		if name == "Get" {
			s.Close()
		}
		a := agent(t, b, "a")
		got := get(b, s, must(t, a, found("mine")))
		for range 400 {
			must(t, a, found("later"))
		}
		if text(got) != "mine" {
			t.Errorf("%s: %q", name, text(got))
		}
	}
}

// The first handler fills the pages again while the second has yet to see the
// signal, which is the last of its page, or of its segment.
func TestSignalThatIsBeingHandledDoesNotChange(t *testing.T) {
	b := newBus(t, &bus.Options{History: 1})
	a, last := agent(t, b, "a"), "63"
	handle(t, b, bus.HandleOptions{}, func(ctx context.Context, s discovery) error {
		if s.Payload.Finding == last {
			for range 300 {
				_, _ = a.Publish(ctx, found("later"))
			}
		}
		return nil
	})
	var got []string
	handle(t, b, bus.HandleOptions{}, func(_ context.Context, s discovery) error {
		got = append(got, s.Payload.Finding)
		return nil
	})
	for i := range 64 {
		must(t, a, found(fmt.Sprint(i)))
	}
	all := make([]signals.Any, 130)
	for i := range all {
		all[i] = found("x")
	}
	if _, err := a.PublishAll(t.Context(), all...); err != nil {
		t.Error(err)
	}
	if err := b.Shutdown(timetest.Context(t)); err != nil || len(got) != 64+300+130 || got[63] != last {
		t.Errorf("%d were handled, the last of the page as %q; %v", len(got), got[63], err)
	}
}
