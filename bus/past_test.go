package bus_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestPastGoesOnLiveWithoutGapOrRepetition(t *testing.T) {
	b := newBus(t, &bus.Options{History: 100_000})
	ctx := timetest.Context(t)
	a := agent(t, b, "a")
	const before, after = 500, 500
	for range before {
		must(t, a, found("x"))
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range after {
			must(t, a, found("y"))
		}
	})
	sub := subscribe(t, b, bus.SubscribeOptions{After: 123})
	for want := uint64(124); want <= before+after; want++ {
		s, err := sub.Next(ctx)
		if err != nil || s.Head().Seq != want {
			t.Fatalf("got %v, %v; want seq %d", s, err, want)
		}
	}
	wg.Wait()
	all := subscribe(t, b, bus.SubscribeOptions{Past: true})
	if got, _ := unread(all); len(got) != before+after || got[0].Head().Seq != 1 {
		t.Errorf("from the start: %d signals, want %d", len(got), before+after)
	}
}

func TestPastBeforeTheHistoryIsAnError(t *testing.T) {
	b := newBus(t, &bus.Options{History: 10})
	a := agent(t, b, "a")
	for range 30 {
		must(t, a, found("x"))
	}
	for _, after := range []uint64{0, 1, 19} {
		_, err := b.Subscribe(bus.SubscribeOptions{Past: true, After: after})
		var evicted *bus.EvictedError
		if !errors.As(err, &evicted) || evicted.Oldest != 21 || evicted.After != after {
			t.Errorf("after %d: got %v, want an EvictedError with oldest 21", after, err)
		}
	}
	sub := subscribe(t, b, bus.SubscribeOptions{After: 20})
	if got, _ := unread(sub); len(got) != 10 {
		t.Errorf("after 20: read %d, want 10", len(got))
	}
}

func TestTheOldestOfAnEmptyHistoryIsTheNextSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{History: 10, TTL: time.Second})
		a := agent(t, b, "a")
		for range 30 {
			must(t, a, found("x"))
		}
		time.Sleep(time.Minute) // synctest: all have expired and been swept
		_, err := b.Subscribe(bus.SubscribeOptions{Past: true})
		var evicted *bus.EvictedError
		if !errors.As(err, &evicted) || evicted.Oldest != 31 {
			t.Errorf("got %v, want an EvictedError with oldest 31", err)
		}
	})
}

func TestReadReturnsWhatIsAvailable(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Where: func(s signals.Any) bool { return text(s) != "1" }})
	for i := range 5 {
		must(t, a, found(fmt.Sprint(i)))
	}
	dst := make([]signals.Any, 3)
	n, err := sub.Read(timetest.Context(t), dst)
	equal(t, "first batch", texts(dst[:n]), []string{"0", "2"})
	m, err2 := sub.Read(timetest.Context(t), dst)
	equal(t, "second batch", texts(dst[:m]), []string{"3", "4"})
	if err != nil || err2 != nil {
		t.Error(err, err2)
	}
	if n, err := sub.Read(timetest.Context(t), nil); n != 0 || err != nil {
		t.Errorf("into nothing: %d, %v", n, err)
	}
	if k := balanced(t, b).Account; k.Delivered != 4 || k.Filtered != 1 {
		t.Errorf("account %+v", k)
	}
}

func TestAllKeepsSignalsThatALoopDidNotTake(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{})
	const n = 500
	for i := range n {
		must(t, a, found(fmt.Sprint(i)))
	}
	next := 0
	for next < n {
		for s, err := range sub.All(timetest.Context(t)) {
			if err != nil || text(s) != fmt.Sprint(next) {
				t.Fatalf("got %v, %v; want %d", s, err, next)
			}
			if next++; next%37 == 0 || next == n {
				break
			}
		}
	}
	if k := balanced(t, b).Account; k.Delivered != n || k.Pending != 0 {
		t.Errorf("account %+v", k)
	}
}

func TestCloseStopsALoopOverAllAtOnce(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{})
	for range 300 {
		must(t, a, found("x"))
	}
	n := 0
	var last error
	for s, err := range sub.All(timetest.Context(t)) {
		if last = err; s != nil {
			n++
		}
		if n == 150 {
			b.Close()
		}
	}
	if n != 150 || !errors.Is(last, bus.ErrClosed) {
		t.Errorf("read %d, %v; want 150 and ErrClosed", n, last)
	}
	if k := balanced(t, b).Account; k.Delivered != 150 || k.DeadClosed != 150 || k.Pending != 0 {
		t.Errorf("account %+v", k)
	}
}

// A reader of few signals must not keep the many that it does not want, nor
// end because of them.
func TestBacklogCountsSelectedSignals(t *testing.T) {
	b := newBus(t, &bus.Options{History: 100, TTL: -1})
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}, Backlog: 4000})
	var want []string
	for i := range 40 {
		must(t, a, votes("", fmt.Sprint(i)))
		want = append(want, fmt.Sprint("vote ", i))
		for range 5000 {
			must(t, a, found("x"))
		}
	}
	if grown := heap(); grown > 40<<20 {
		t.Errorf("%d kB are kept for 40 votes", grown>>10)
	}
	got, err := unread(sub)
	equal(t, "votes", texts(got), want)
	if err != nil {
		t.Error(err)
	}
	if k := balanced(t, b).Account; k.Delivered != 40 || k.DeadLagged != 0 || k.Pending != 0 {
		t.Errorf("account %+v", k)
	}
}
