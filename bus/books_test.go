package bus_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// TestBooksAlwaysBalance does random things and checks after each that
// nothing intended is unaccounted for, and at the end that nothing is pending.
func TestBooksAlwaysBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		b := made(bus.New(&bus.Options{History: rapid.IntRange(1, 9).Draw(t, "history"), Sweep: -1, Clock: func() time.Time { return now }}))
		defer b.Close()
		var subs []*bus.Subscription
		var handlers []*bus.Handler
		var intended, delivered uint64
		b.Observe(func(e bus.Event) {
			if s, ok := e.(bus.Settled); ok && s.Fate == bus.Delivered {
				delivered++
			}
		})
		pick := func(n int) int {
			if n == 0 {
				t.Skip("none")
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
					Agent:    rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "agent"),
					Backlog:  rapid.IntRange(1, 5).Draw(t, "backlog"),
					WhenFull: rapid.SampledFrom([]bus.Full{bus.End, bus.End, bus.Wait}).Draw(t, "full"),
				}
				if o.WhenFull == bus.Wait {
					o.Backlog = 1000
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
				k := b.Stats().Books
				if !k.Balanced() {
					t.Fatalf("books do not balance: %+v", k)
				}
				if k.Delivered != delivered {
					t.Fatalf("%d delivered in the books, %d seen", k.Delivered, delivered)
				}
				if k.Intended < intended {
					t.Fatalf("intended fell from %d to %d", intended, k.Intended)
				}
				intended = k.Intended
			},
		})
		b.Close()
		if k := b.Stats().Books; !k.Balanced() || k.Pending != 0 {
			t.Fatalf("after Close: %+v", k)
		}
	})
}
