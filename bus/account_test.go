package bus_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// TestAccountsAlwaysBalance does random things and checks after each that
// nothing intended is unaccounted for, and at the end that nothing is pending.
func TestAccountsAlwaysBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		b := made(bus.New(&bus.Options{History: rapid.IntRange(1, 9).Draw(t, "history"), Sweep: -1, Clock: func() time.Time { return now }}))
		defer b.Close()
		var subs []*bus.Subscription
		var handlers []*bus.Handler
		var intended, delivered uint64
		b.Observe(func(e bus.Event) {
			if s, ok := e.(bus.Settled); ok && s.Disposition == bus.Delivered {
				delivered++
			}
		})
		pick := func(n int) int {
			if n == 0 {
				t.Skip("nothing to choose from")
			}
			return rapid.IntRange(0, n-1).Draw(t, "which")
		}
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(t *rapid.T) {
				p, _ := b.Agent(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "agent"), bus.Permissions{})
				s := found("x")
				s.TTL = time.Duration(rapid.IntRange(0, 3).Draw(t, "ttl")) * time.Second
				if rapid.Bool().Draw(t, "private") {
					s.Recipients = signals.To("a")
				}
				_, _ = p.Publish(context.Background(), s)
			},
			"propose": func(t *rapid.T) {
				who := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "agent")
				p, _ := b.Agent(who, bus.Permissions{})
				_, _ = p.Publish(context.Background(), proposes("", fmt.Sprint(who, b.Last()), who))
			},
			"subscribe": func(t *rapid.T) {
				if len(subs) > 5 {
					t.Skip("enough")
				}
				o := bus.SubscribeOptions{
					Agent:   rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "agent"),
					Backlog: rapid.SampledFrom([]int{1, 2, 3, 4, 5, 1000, 1000}).Draw(t, "backlog"),
				}
				if rapid.Bool().Draw(t, "predicate") {
					o.Where = func(s signals.Any) bool { return s.Head().Seq%2 == 0 }
				}
				s, _ := b.Subscribe(o)
				subs = append(subs, s)
			},
			"handle": func(t *rapid.T) {
				if len(handlers) > 5 {
					t.Skip("enough")
				}
				fail := rapid.IntRange(0, 3).Draw(t, "fails")
				h, _ := bus.Handle(b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
					switch fail {
					case 0:
						panic("x")
					case 1:
						return fmt.Errorf("x")
					}
					return nil
				})
				handlers = append(handlers, h)
			},
			"read":         func(*rapid.T) { _, _ = unread(subs[pick(len(subs))]) },
			"close":        func(*rapid.T) { subs[pick(len(subs))].Close() },
			"end handling": func(*rapid.T) { handlers[pick(len(handlers))].Close() },
			"time passes":  func(*rapid.T) { now = now.Add(time.Second) },
			"sweep":        func(*rapid.T) { b.Sweep() },
			"": func(t *rapid.T) {
				k := b.Stats().Account
				if !k.Balanced() {
					t.Fatalf("the account does not balance: %+v", k)
				}
				if k.Delivered != delivered {
					t.Fatalf("%d delivered in the account, %d seen", k.Delivered, delivered)
				}
				if k.Intended < intended {
					t.Fatalf("intended fell from %d to %d", intended, k.Intended)
				}
				intended = k.Intended
			},
		})
		b.Close()
		if k := b.Stats().Account; !k.Balanced() || k.Pending != 0 {
			t.Fatalf("after Close: %+v", k)
		}
	})
}

func TestAccountsBalanceUnderConcurrentReaders(t *testing.T) {
	b := newBus(t, &bus.Options{History: 100})
	stop := b.Observe(func(bus.Event) {})
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	var readers, publishers sync.WaitGroup
	read := func(o bus.SubscribeOptions, all func(*bus.Subscription)) {
		sub := subscribe(t, b, o)
		readers.Go(func() { all(sub) })
	}
	next := func(s *bus.Subscription) {
		for {
			if _, err := s.Next(ctx); err != nil {
				return
			}
		}
	}
	read(bus.SubscribeOptions{Agent: "next"}, next)
	read(bus.SubscribeOptions{Agent: "lags", Backlog: 3}, next)
	read(bus.SubscribeOptions{Agent: "where", Where: func(s signals.Any) bool { return s.Head().Seq%3 == 0 }}, next)
	read(bus.SubscribeOptions{Agent: "read"}, func(s *bus.Subscription) {
		buffer := make([]signals.Any, 5)
		for {
			if _, err := s.Read(ctx, buffer); err != nil {
				return
			}
		}
	})
	read(bus.SubscribeOptions{Agent: "all"}, func(s *bus.Subscription) {
		for ctx.Err() == nil {
			n := 0
			for range s.All(ctx) {
				if n++; n == 7 {
					break
				}
			}
		}
	})
	read(bus.SubscribeOptions{Agent: "poll"}, func(s *bus.Subscription) {
		for ctx.Err() == nil {
			if s, _ := s.Poll(); s == nil {
				runtime.Gosched()
			}
		}
	})
	handle(t, b, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error {
		if s.Seq%5 == 0 {
			return errors.New("no")
		}
		return nil
	})
	for i := range 2 {
		a := agent(t, b, fmt.Sprint("a", i))
		publishers.Go(func() {
			for n := range 2000 {
				s := found("x")
				if n%4 == 0 {
					s.TTL = 1
				}
				_, _ = a.Publish(context.Background(), s)
				if n%50 == 0 {
					balanced(t, b)
				}
			}
		})
	}
	publishers.Wait()
	cancel()
	readers.Wait()
	balanced(t, b)
	b.Close()
	if k := balanced(t, b).Account; k.Pending != 0 || k.Delivered == 0 || k.DeadLagged == 0 || k.Filtered == 0 || k.DeadFailed == 0 {
		t.Errorf("account %+v", k)
	}
}

func TestSignalsThatALaggedReaderGivesBackArePending(t *testing.T) {
	b := newBus(t, nil)
	a, lagged := agent(t, b, "a"), subscribe(t, b, bus.SubscribeOptions{Backlog: 100})
	for range 200 {
		must(t, a, found("x"))
	}
	for range 50 { // in batches that become larger
		for range lagged.All(t.Context()) {
			break
		}
	}
	if k := balanced(t, b).Account; k.Pending != 50 {
		t.Errorf("%d pending of 100 kept and 50 read", k.Pending)
	}
	b.Close()
	if k := balanced(t, b).Account; k.Pending != 0 || k.DeadClosed != 50 {
		t.Errorf("account %+v", k)
	}
}

func TestHandlerClosedDuringARunThatIsNotForItIsInNoAccounts(t *testing.T) {
	b := newBus(t, nil)
	none := func(context.Context, signals.Signal[signals.Discovery]) error { return nil }
	other := handle(t, b, bus.HandleOptions{Agent: "other"}, none)
	handle(t, b, bus.HandleOptions{Agent: "me"}, func(context.Context, signals.Signal[signals.Discovery]) error {
		other.Close()
		return nil
	})
	private := found("x")
	private.Recipients = signals.To("me")
	must(t, agent(t, b, "a"), private)
	if got, want := balanced(t, b).Account, (bus.Account{Intended: 1, Delivered: 1}); got != want {
		t.Errorf("account %+v, want %+v", got, want)
	}
}

func TestHandlerThatComesAndGoesDuringARunIsInNoAccounts(t *testing.T) {
	b := newBus(t, nil)
	none := func(context.Context, signals.Signal[signals.Discovery]) error { return nil }
	handle(t, b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Discovery]) error {
		handle(t, b, bus.HandleOptions{}, none).Close()
		balanced(t, b)
		handle(t, b, bus.HandleOptions{}, none)
		balanced(t, b)
		return nil
	})
	must(t, agent(t, b, "a"), found("x"))
	if k := balanced(t, b).Account; k.Intended != 1 || k.Delivered != 1 {
		t.Errorf("account %+v", k)
	}
}
