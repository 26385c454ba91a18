package bus_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// The loop is left in the middle of a batch, after the bus has set the later
// signals aside.
func TestLoopThatIsLeftGoesOnInLogOrder(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}})
	var want []string
	vote := func(n int) {
		for range n {
			want = append(want, fmt.Sprint("vote ", len(want)))
			must(t, a, votes("", fmt.Sprint(len(want)-1)))
		}
	}
	vote(20)
	var read []signals.Any
	for s, err := range sub.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if read = append(read, s); len(read) == 9 {
			for range 10_000 { // beyond which a reader of few signals keeps no others
				must(t, a, found("x"))
			}
			vote(3)
			break
		}
	}
	rest, err := unread(sub)
	if err != nil {
		t.Error(err)
	}
	equal(t, "read", texts(append(read, rest...)), want)
}

func TestShutdownWaitsForTheUnreadSignalsOfAReaderThatLagged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		sub := subscribe(t, b, bus.SubscribeOptions{Backlog: 2})
		for range 3 {
			must(t, agent(t, b, "a"), found("x"))
		}
		down := make(chan error)
		go func() { down <- b.Shutdown(t.Context()) }()
		synctest.Wait()
		for range 2 {
			if _, err := sub.Next(t.Context()); err != nil {
				t.Errorf("unread before the shutdown: %v", err)
			}
		}
		if err := <-down; err != nil {
			t.Error(err)
		}
		if k := balanced(t, b).Account; k.Delivered != 2 || k.DeadLagged != 1 || k.Dead() != 1 {
			t.Errorf("account %+v, want 2 delivered and 1 lagged", k)
		}
	})
}

func TestSinceFindsAllInAnyOrderOfTime(t *testing.T) {
	now := time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC)
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, TTL: -1})
	a := agent(t, b, "a")
	for i := range 65 {
		s := found(fmt.Sprint(i))
		s.Time = now.Add(-time.Duration(i%7) * time.Second)
		must(t, a, s)
	}
	early := found("early")
	early.Time = now.Add(-time.Hour)
	for range 200 { // of later positions, and older
		must(t, a, early)
	}
	for ago, want := range map[time.Duration]int{0: 10, 3 * time.Second: 38, time.Minute: 65, time.Hour: 265} {
		if got := len(history(b, bus.Filter{Since: now.Add(-ago)})); got != want {
			t.Errorf("since %v ago: %d, want %d", ago, got, want)
		}
	}
}

func TestReaderWithNothingToReadKeepsLittleThoughItDoesNotWait(t *testing.T) {
	for name, o := range map[string]bus.SubscribeOptions{
		"that reads at times":  {Kinds: []signals.Kind{signals.KindVote}},
		"with a large backlog": {Kinds: []signals.Kind{signals.KindVote}, Backlog: 1 << 20},
	} {
		b := newBus(t, &bus.Options{TTL: -1})
		a, reader := agent(t, b, "a"), subscribe(t, b, o)
		for range 5_000 {
			must(t, a, found("x"))
		}
		must(t, a, votes("", "p"))
		if s, err := reader.Poll(); s == nil || err != nil {
			t.Fatalf("%s: %v, %v", name, s, err)
		}
		before := heap()
		for range 60_000 {
			must(t, a, found("x"))
		}
		if grown := heap() - before; grown > 8192*300 {
			t.Errorf("%s: %d kB more after 60,000 signals that it does not want", name, grown>>10)
		}
	}
}
