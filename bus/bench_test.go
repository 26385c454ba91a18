package bus_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// event is what every benchmark publishes: a thread, a text of 120 bytes,
// through a handle with CanEmit.
func event() *discovery {
	return signals.New(
		signals.Header{Thread: "retry-policy", Confidence: 0.9},
		signals.Discovery{
			Finding:   "the retry loop in client.go has no jitter, so that all clients come back at the same moment after an outage of the server",
			Relevance: 0.5,
		},
	)
}

func publisher(b testing.TB, on *bus.Bus, id string) *bus.Publisher {
	p, err := on.Agent(id, bus.Permissions{CanEmit: []signals.Kind{signals.KindDiscovery, signals.KindVote, signals.KindProposal}})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

type sink interface {
	take(s signals.Signal[signals.Discovery]) error
}

type counter struct{ n int }

func (c *counter) take(signals.Signal[signals.Discovery]) error { c.n++; return nil }

// floor is the least that an ordered, locked log with guarded handlers does.
type floor struct {
	mu    sync.Mutex
	base  time.Time
	ring  [1024]signals.Signal[signals.Discovery]
	n     uint64
	sinks []sink
}

func (f *floor) publish(s *discovery, timed bool) {
	f.mu.Lock()
	at := s.Time
	if !timed {
		at = f.base.Add(time.Since(f.base))
	}
	slot := &f.ring[f.n%1024]
	*slot = *s
	slot.Seq, slot.Time = f.n, at
	f.n++
	f.mu.Unlock()
	f.call(slot)
}

func (f *floor) call(s *discovery) {
	defer func() { _ = recover() }()
	for _, to := range f.sinks {
		_ = to.take(*s)
	}
}

func BenchmarkPublish(b *testing.B) {
	for _, handlers := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("floor/handlers=%d", handlers), func(b *testing.B) {
			f := &floor{base: time.Now()}
			for range handlers {
				f.sinks = append(f.sinks, &counter{})
			}
			s := event()
			b.ReportAllocs()
			for b.Loop() {
				f.publish(s, false)
			}
		})
		b.Run(fmt.Sprintf("bus/handlers=%d", handlers), func(b *testing.B) {
			on := made(bus.New(nil))
			defer on.Close()
			for range handlers {
				c := &counter{}
				handle(b, on, bus.HandleOptions{}, func(_ context.Context, s signals.Signal[signals.Discovery]) error { return c.take(s) })
			}
			p, s, ctx := publisher(b, on, "a"), event(), context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Publish(ctx, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPublishTimed(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		f, s := &floor{base: time.Now()}, event()
		s.Time = time.Now().UTC().Round(0)
		for b.Loop() {
			f.publish(s, true)
		}
	})
	b.Run("bus", func(b *testing.B) {
		now := time.Now()
		on := made(bus.New(&bus.Options{Clock: func() time.Time { return now }}))
		defer on.Close()
		p, s, ctx := publisher(b, on, "a"), event(), context.Background()
		s.Time = now.UTC().Round(0)
		for b.Loop() {
			_, _ = p.Publish(ctx, s)
		}
	})
}

func BenchmarkHistorySize(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			on := made(bus.New(&bus.Options{History: n, TTL: -1}))
			defer on.Close()
			p, s, ctx := publisher(b, on, "a"), event(), context.Background()
			for range n + 10_000 {
				_, _ = p.Publish(ctx, s)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.Publish(ctx, s)
			}
		})
	}
}

func BenchmarkTwoPublishers(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			on := made(bus.New(nil))
			defer on.Close()
			var wg sync.WaitGroup
			b.ResetTimer()
			for i := range n {
				p := publisher(b, on, fmt.Sprint(i))
				wg.Go(func() {
					s, ctx := event(), context.Background()
					for range b.N / n {
						_, _ = p.Publish(ctx, s)
					}
				})
			}
			wg.Wait()
		})
	}
}

func BenchmarkQueued(b *testing.B) {
	for _, subs := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("bus/subs=%d", subs), func(b *testing.B) {
			on := made(bus.New(nil))
			defer on.Close()
			ctx := context.Background()
			var wg sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range subs {
				sub := subscribe(b, on, bus.SubscribeOptions{Kinds: []signals.Kind{signals.KindDiscovery}, Backlog: 1 << 30})
				wg.Go(func() {
					n := 0
					for s, err := range sub.All(ctx) {
						if err != nil {
							b.Error(err)
						}
						_ = s
						if n++; n == b.N {
							return
						}
					}
				})
			}
			p, s := publisher(b, on, "a"), event()
			for range b.N {
				_, _ = p.Publish(ctx, s)
			}
			wg.Wait()
		})
		b.Run(fmt.Sprintf("chan/subs=%d", subs), func(b *testing.B) {
			var wg sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			var chans []chan *discovery
			for range subs {
				c := make(chan *discovery, 1024)
				chans = append(chans, c)
				wg.Go(func() {
					for range b.N {
						<-c
					}
				})
			}
			e := event()
			for range b.N {
				s := signals.New(e.Header, e.Payload)
				for _, c := range chans {
					c <- s
				}
			}
			wg.Wait()
		})
	}
}
