package bus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestSubscriptionMissesNothingThatHistoryEvicts(t *testing.T) {
	b := newBus(t, &bus.Options{History: 2})
	a := agent(t, b, "a")
	inbox := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}})
	var want []string
	for i := range 9 { // a chatty kind evicts the votes
		must(t, a, votes("", fmt.Sprint(i)))
		want = append(want, fmt.Sprint("vote ", i))
		for range 50 {
			must(t, a, found("chatter"))
		}
	}
	got, err := unread(inbox)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "votes", texts(got), want)
	if s := balanced(t, b); s.Account.Delivered != 9 || s.Account.Pending != 0 {
		t.Errorf("account %+v", s.Account)
	}
}

func TestSubscriptionRoutesByKindThreadRecipientAndPredicate(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	open := func(o bus.SubscribeOptions) *bus.Subscription { return subscribe(t, b, o) }
	kinds := open(bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote, signals.KindProposal}})
	threads := open(bus.SubscribeOptions{Threads: []string{"", "t2"}})
	mine := open(bus.SubscribeOptions{Agent: "me"})
	anyone := open(bus.SubscribeOptions{})
	where := open(bus.SubscribeOptions{Where: func(s signals.Any) bool { return s.Head().Confidence >= 0.5 }})

	must(t, a, foundIn("t1", "1"))
	must(t, a, votes("t2", "2"))
	must(t, a, foundIn("", "3"))
	private := foundIn("t1", "4")
	private.Recipients = signals.To("me", "other")
	must(t, a, private)
	weak := foundIn("t1", "5")
	weak.Confidence = 0.4
	must(t, a, weak)

	for _, c := range []struct {
		name string
		sub  *bus.Subscription
		want []string
	}{
		{"kinds", kinds, []string{"vote 2"}},
		{"threads", threads, []string{"vote 2", "3"}},
		{"recipient", mine, []string{"1", "vote 2", "3", "4", "5"}},
		{"nobody's", anyone, []string{"1", "vote 2", "3", "5"}},
		{"predicate", where, []string{"1", "vote 2", "3"}},
	} {
		got, err := unread(c.sub)
		if err != nil {
			t.Error(err)
		}
		equal(t, c.name, texts(got), c.want)
	}
	if s := balanced(t, b); s.Account.Filtered != 1 || s.Account.Pending != 0 {
		t.Errorf("account %+v, want 1 filtered, none pending", s.Account)
	}
	equal(t, "history has private signals too", texts(history(b, bus.Filter{})), []string{"1", "vote 2", "3", "4", "5"})
}

func TestSubscriptionStartsWithTheNextSignal(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	must(t, a, found("before"))
	sub := subscribe(t, b, bus.SubscribeOptions{})
	must(t, a, found("after"))
	got, _ := unread(sub)
	equal(t, "read", texts(got), []string{"after"})
}

func TestFullBacklogEndsWithErrLagged(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	for range 5000 { // positions far from 0
		must(t, a, found("before it"))
	}
	sub := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}, Backlog: 3})
	for i := range 3 {
		must(t, a, votes("", fmt.Sprint(i)))
		for range 100 {
			must(t, a, found("not for it"))
		}
	}
	if got := balanced(t, b).Account; got.Pending != 3 || got.Dead() != 0 {
		t.Fatalf("at the bound: %+v, want 3 pending, none dead", got)
	}
	must(t, a, votes("", "too many")) // the publisher is not harmed
	must(t, a, votes("", "not intended any more"))
	got, err := unread(sub)
	equal(t, "kept", texts(got), []string{"vote 0", "vote 1", "vote 2"})
	if !errors.Is(err, bus.ErrLagged) {
		t.Errorf("got %v, want ErrLagged", err)
	}
	if got := balanced(t, b).Account; got.Intended != 4 || got.Delivered != 3 || got.DeadLagged != 1 || got.Pending != 0 {
		t.Errorf("account %+v, want 4 = 3 delivered + 1 lagged", got)
	}
}

func TestReadingMakesRoom(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Backlog: 2})
	for i := range 100 {
		must(t, a, found(fmt.Sprint(i)))
		if i%2 == 1 {
			if got, err := unread(sub); len(got) != 2 || err != nil {
				t.Fatalf("at %d: read %d, %v; want 2", i, len(got), err)
			}
		}
	}
}

func TestNextWaitsAndWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a := agent(t, b, "a")
		var readers []chan string
		for range 5 {
			sub := subscribe(t, b, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindVote}})
			got := make(chan string)
			readers = append(readers, got)
			go func() {
				defer close(got)
				for s, err := range sub.All(context.Background()) {
					if err != nil {
						return
					}
					got <- text(s)
				}
			}()
		}
		for i := range 3 {
			synctest.Wait()
			must(t, a, found("not for them"))
			must(t, a, votes("", fmt.Sprint(i)))
			for _, r := range readers {
				if got, want := <-r, fmt.Sprint("vote ", i); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := subscribe(t, b, bus.SubscribeOptions{}).Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want DeadlineExceeded", err)
		}
		b.Close()
		for _, r := range readers {
			if _, more := <-r; more {
				t.Error("read after Close")
			}
		}
	})
}

func TestEverySignalGoesToOneOfConcurrentReaders(t *testing.T) {
	b := newBus(t, nil)
	ctx := timetest.Context(t)
	sub := subscribe(t, b, bus.SubscribeOptions{})
	const n = 2000
	got := make(chan uint64, n)
	for range 4 {
		go func() {
			for s, err := range sub.All(ctx) {
				if err != nil {
					return
				}
				got <- s.Head().Seq
			}
		}()
	}
	a := agent(t, b, "a")
	for range n {
		must(t, a, found("x"))
	}
	seen := map[uint64]bool{}
	for range n {
		seen[<-got] = true
	}
	if len(seen) != n || balanced(t, b).Account.Delivered != n {
		t.Errorf("%d distinct signals read, want %d", len(seen), n)
	}
}

func TestPanicOfAPredicateIsTheReadersAndInTheAccounts(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{Where: func(s signals.Any) bool {
		if text(s) == "bad" {
			panic("no")
		}
		return true
	}})
	must(t, a, found("bad"))
	must(t, a, found("good"))
	func() {
		defer func() { _ = recover() }()
		_, _ = sub.Next(timetest.Context(t))
		t.Error("no panic")
	}()
	got, _ := unread(sub)
	equal(t, "read after the panic", texts(got), []string{"good"})
	if k := balanced(t, b).Account; k.DeadFailed != 1 || k.Delivered != 1 || k.Pending != 0 {
		t.Errorf("account %+v", k)
	}
}

func TestCloseOfASubscriptionDeadLettersUnreadSignals(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	sub := subscribe(t, b, bus.SubscribeOptions{})
	other := subscribe(t, b, bus.SubscribeOptions{})
	must(t, a, found("1"))
	must(t, a, found("2"))
	sub.Close()
	sub.Close()
	must(t, a, found("3"))
	if _, err := sub.Next(timetest.Context(t)); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	got, _ := unread(other)
	equal(t, "the other", texts(got), []string{"1", "2", "3"})
	if k := balanced(t, b).Account; k.Intended != 5 || k.DeadClosed != 2 || k.Delivered != 3 {
		t.Errorf("account %+v", k)
	}
}

func TestSlowSubscriptionIsNamed(t *testing.T) {
	b := newBus(t, nil)
	a := agent(t, b, "a")
	events := watch(t, b)
	subscribe(t, b, bus.SubscribeOptions{Agent: "sleeper", Backlog: 4})
	slow := func() (n int) {
		for _, e := range events() {
			if e == "slow sleeper" {
				n++
			}
		}
		return n
	}
	for i, want := range []int{0, 0, 1, 1} {
		must(t, a, found("x"))
		if got := slow(); got != want {
			t.Errorf("after %d of 4: named %d times, want %d", i+1, got, want)
		}
	}
	for _, r := range b.Stats().Readers {
		if r.Agent != "sleeper" || r.Account.Pending != 4 || r.Site == "" {
			t.Errorf("stats %+v do not name it", r)
		}
	}
}

func TestReaderOfAThreadIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a := agent(t, b, "a")
		sub := subscribe(t, b, bus.SubscribeOptions{Threads: []string{"t"}})
		got := make(chan string)
		go func() {
			s, err := sub.Next(t.Context())
			if err != nil {
				t.Error(err)
			}
			got <- text(s)
		}()
		synctest.Wait()
		must(t, a, foundIn("u", "other"))
		must(t, a, foundIn("t", "mine"))
		if s := <-got; s != "mine" {
			t.Errorf("got %q", s)
		}
	})
}
