package bus_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func mortal(text string, at time.Time, ttl time.Duration) *discovery {
	s := found(text)
	s.Time, s.TTL = at, ttl
	return s
}

func TestSignalLivesUntilTimePlusTTLInclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Sweep: -1})
		a := agent(t, b, "a")
		sub := subscribe(t, b, bus.SubscribeOptions{})
		start := time.Now()
		r := must(t, a, mortal("x", start, time.Second))
		time.Sleep(time.Second)
		if _, ok := b.Get(r.ID); !ok || len(history(b, bus.Filter{})) != 1 {
			t.Error("gone at time + ttl exactly, want it alive")
		}
		must(t, a, mortal("at the last moment", start, time.Second))
		time.Sleep(time.Nanosecond)
		if _, ok := b.Get(r.ID); ok || len(history(b, bus.Filter{})) != 0 {
			t.Error("alive a nanosecond later")
		}
		if _, err := a.Publish(context.Background(), mortal("late", start, time.Second)); !errors.Is(err, bus.ErrExpired) {
			t.Errorf("published late: %v, want ErrExpired", err)
		}
		got, _ := unread(sub)
		equal(t, "delivered after expiry", texts(got), nil)
		if s := balanced(t, b); s.Account.DeadExpired != 2 || s.Account.Pending != 0 || s.Published != 2 {
			t.Errorf("stats %+v", s)
		}
	})
}

// TestReaderOfExpiredSignalsMissesNone has a reader that is behind while what
// it has not read expires, is swept, and is pushed out of the history.
func TestReaderOfExpiredSignalsMissesNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{History: 4, Sweep: -1})
		a := agent(t, b, "a")
		all := subscribe(t, b, bus.SubscribeOptions{Agent: bus.System, Expired: true})
		want := []string{"before"}
		must(t, a, mortal("before", time.Time{}, time.Second))
		some := subscribe(t, b, bus.SubscribeOptions{Past: true, Expired: true})
		for n := range 10_000 {
			want = append(want, fmt.Sprint(n))
			must(t, a, mortal(want[n+1], time.Time{}, time.Second))
		}
		time.Sleep(time.Minute)
		b.Sweep()
		for range 100 {
			want = append(want, "live")
			must(t, a, found("live"))
		}
		for _, sub := range []*bus.Subscription{all, some} {
			got, _ := unread(sub)
			equal(t, "read", texts(got), want)
		}
		if k := balanced(t, b).Account; k.DeadExpired != 0 || k.Delivered != 2*uint64(len(want)) {
			t.Errorf("account %+v", k)
		}
	})
}

func TestTTLDefaultsAndForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Sweep: -1}) // TTL 1m
		a := agent(t, b, "a")
		must(t, a, found("default"))
		must(t, a, mortal("for ever", time.Time{}, -1))
		got := history(b, bus.Filter{})
		if ttl := got[0].Head().TTL; ttl != time.Minute {
			t.Errorf("TTL %v, want the bus's 1m", ttl)
		}
		time.Sleep(time.Minute)
		equal(t, "at 1m", texts(history(b, bus.Filter{})), []string{"default", "for ever"})
		time.Sleep(time.Nanosecond)
		equal(t, "after 1m", texts(history(b, bus.Filter{})), []string{"for ever"})
		time.Sleep(1e6 * time.Hour)
		equal(t, "much later", texts(history(b, bus.Filter{})), []string{"for ever"})
	})
}

func TestLaggingHandlerDoesNotGetExpiredSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Sweep: -1})
		a := agent(t, b, "a")
		var got []string
		handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
			got = append(got, s.Payload.Finding)
			time.Sleep(2 * time.Second)
			return nil
		})
		go must(t, a, found("slow"))
		synctest.Wait()
		must(t, a, mortal("short", time.Time{}, time.Second))
		must(t, a, found("long"))
		if err := b.Sync(context.Background(), 3); err != nil {
			t.Fatal(err)
		}
		equal(t, "handled", got, []string{"slow", "long"})
		if k := balanced(t, b).Account; k.DeadExpired != 1 || k.Delivered != 2 {
			t.Errorf("account %+v", k)
		}
	})
}

func TestSweepFreesRoomAndNotifiesObservers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{History: 4, Sweep: -1})
		a := agent(t, b, "a")
		events := watch(t, b)
		must(t, a, mortal("1", time.Time{}, time.Minute))
		must(t, a, mortal("2", time.Time{}, time.Second))
		must(t, a, mortal("3", time.Time{}, time.Second))
		b.Sweep() // nothing is due
		time.Sleep(time.Second + 1)
		if s := b.Stats(); s.Held != 3 {
			t.Errorf("%d held before the sweep, want 3", s.Held)
		}
		b.Sweep()
		if s := b.Stats(); s.Held != 1 || s.Expired != 2 || s.Evicted != 0 {
			t.Errorf("after the sweep: %+v", s)
		}
		for range 3 { // the room is free again
			must(t, a, found("new"))
		}
		equal(t, "history", texts(history(b, bus.Filter{})), []string{"1", "new", "new", "new"})
		must(t, a, found("new"))
		equal(t, "history", texts(history(b, bus.Filter{})), []string{"new", "new", "new", "new"})
		equal(t, "events", events(), []string{
			"published 1", "published 2", "published 3", "expired 2", "expired 3",
			"published new", "published new", "published new", "published new", "evicted 1",
		})
	})
}

func TestSweeperRunsByItselfAndOnlyWhenNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Sweep: time.Second, TTL: 1500 * time.Millisecond})
		time.Sleep(time.Hour)
		events := watch(t, b)
		must(t, agent(t, b, "a"), found("x"))
		time.Sleep(1900 * time.Millisecond)
		equal(t, "before the sweep", events(), []string{"published x"})
		time.Sleep(200 * time.Millisecond)
		equal(t, "after the sweep", events(), []string{"published x", "expired x"})
	})
}

func TestExpiredWhenEvictedCountsAsExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{History: 1, Sweep: -1})
		a := agent(t, b, "a")
		must(t, a, mortal("1", time.Time{}, time.Second))
		time.Sleep(2 * time.Second)
		must(t, a, found("2"))
		must(t, a, found("3"))
		if s := b.Stats(); s.Expired != 1 || s.Evicted != 1 || s.Held != 1 {
			t.Errorf("stats %+v, want 1 expired, 1 evicted, 1 held", s)
		}
	})
}

// One signal that lives for ever among millions that do not must not make
// the log keep their places.
func TestLongLivedSignalDoesNotKeepThePlacesOfOthers(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{History: 10, Sweep: -1, Clock: func() time.Time { return now }})
	a := agent(t, b, "a")
	must(t, a, mortal("for ever", time.Time{}, -1))
	const bound = 2*10 + 4096
	for range bound - 1 {
		must(t, a, mortal("short", time.Time{}, time.Second))
		now = now.Add(2 * time.Second)
		b.Sweep()
	}
	equal(t, "at the bound", texts(history(b, bus.Filter{})), []string{"for ever"})
	must(t, a, found("one more"))
	equal(t, "beyond", texts(history(b, bus.Filter{})), []string{"one more"})
	if s := b.Stats(); s.Evicted != 1 || s.Expired != bound-1 {
		t.Errorf("stats %+v", s)
	}
}

func TestSweepLeavesNothingBehind(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBus(t, &bus.Options{Sweep: -1, Clock: func() time.Time { return now }})
	a := agent(t, b, "a")
	first := must(t, a, found("x"))
	for i := range 150 {
		answer := foundIn(fmt.Sprint("t", i%3), "answer")
		answer.ReplyTo, answer.TTL = first.ID, time.Duration(1+i%2)*time.Second
		must(t, a, answer)
	}
	for range 3 {
		now = now.Add(time.Second + 1)
		b.Sweep()
	}
	if got := b.Stats().Held; got != 1 {
		t.Errorf("%d signals held, want the one that has not expired", got)
	}
}

func TestReadersGoByTheBusesClock(t *testing.T) {
	now := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }})
	sub := subscribe(t, b, bus.SubscribeOptions{})
	a := agent(t, b, "a")
	must(t, a, found("lives"))
	must(t, a, found("lives too"))
	buffer := make([]signals.Any, 1)
	for _, want := range []string{"lives", "lives too"} {
		if n, err := sub.Read(t.Context(), buffer); n != 1 || err != nil || text(buffer[0]) != want {
			t.Fatalf("read %d %v, %v", n, buffer[0], err)
		}
	}
	must(t, a, found("dies"))
	now = now.Add(time.Hour)
	must(t, a, found("is next"))
	if n, err := sub.Read(t.Context(), buffer); n != 1 || err != nil || text(buffer[0]) != "is next" {
		t.Errorf("read %d %v, %v", n, buffer[0], err)
	}
}

func TestClockThatGoesBackBringsNothingBack(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1, TTL: time.Minute})
	sub := subscribe(t, b, bus.SubscribeOptions{})
	must(t, agent(t, b, "a"), found("dies"))
	now = now.Add(2 * time.Minute)
	if len(history(b, bus.Filter{})) != 0 {
		t.Fatal("expired signal in the history")
	}
	now = now.Add(-2 * time.Minute)
	if got := history(b, bus.Filter{}); len(got) != 0 {
		t.Errorf("the history has it again: %v", texts(got))
	}
	if got, _ := unread(sub); len(got) != 0 {
		t.Errorf("delivered: %v", texts(got))
	}
}

// Handlers judge at the moment they come to a signal: at time + ttl exactly it
// still lives.
func TestExpiryAtAHandlerIsJudgedWhenItComesToTheSignal(t *testing.T) {
	now := time.Now()
	b := newBus(t, &bus.Options{Clock: func() time.Time { return now }, Sweep: -1})
	var got []string
	step := time.Duration(0)
	handle(t, b, bus.HandleOptions{Agent: "h"}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		got = append(got, s.Payload.Finding)
		now = now.Add(step)
		return nil
	})
	both := func(d time.Duration) []signals.Any {
		step = d
		last := found("last")
		last.TTL = time.Second
		return []signals.Any{found("first"), last}
	}
	for _, d := range []time.Duration{time.Second, time.Second + 1} {
		if _, err := agent(t, b, "a").PublishAll(t.Context(), both(d)...); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "handled", got, []string{"first", "last", "first"})
	if k := balanced(t, b).Account; k.DeadExpired != 1 || k.Delivered != 3 {
		t.Errorf("account %+v", k)
	}
}

// The sweeper lets publishers in between two blocks, who may move the floor of
// the history beyond where it wanted to go on.
func TestSweepingWhilePublishersEvict(t *testing.T) {
	b := newBus(t, &bus.Options{History: 3000, Sweep: -1, TTL: time.Microsecond})
	a := agent(t, b, "a")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				b.Sweep()
			}
		}
	})
	for range 60_000 {
		s := found("x")
		s.TTL = 2 * time.Millisecond
		must(t, a, s)
	}
	close(stop)
	wg.Wait()
	balanced(t, b)
}
