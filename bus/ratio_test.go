package bus_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

// BenchmarkRatioLeave leaves loops over a subscription, which costs nothing of its backlog.
func BenchmarkRatioLeave(b *testing.B) {
	leave := func(backlog int) func() time.Duration {
		on := newBus(b, &bus.Options{TTL: -1})
		a := agent(b, on, "a")
		sub := subscribe(b, on, bus.SubscribeOptions{Backlog: 1 << 20})
		for range backlog {
			must(b, a, found("x"))
		}
		seq := uint64(0)
		return func() time.Duration {
			return timetest.Took(func() {
				for range 30 {
					for s, err := range sub.All(b.Context()) {
						if seq++; err != nil || s.Head().Seq != seq {
							b.Fatalf("signal %v after %d, %v", s, seq-1, err)
						}
						break
					}
				}
			})
		}
	}
	timetest.Ratio(b, 20, leave(10_000), leave(1_000_000))
}

// BenchmarkRatioPublishAll and BenchmarkRatioFeed take eight times as many signals at once:
// 64 times as long would be quadratic.
func BenchmarkRatioPublishAll(b *testing.B) {
	publish := func(n int) func() time.Duration {
		all := foreign(n)
		return func() time.Duration {
			from := agent(b, newBus(b, &bus.Options{Conflicts: &conflict.Options{Off: true}}), "a")
			return timetest.Took(func() {
				if _, err := from.PublishAll(b.Context(), all...); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	timetest.Ratio(b, 40, publish(8_000), publish(64_000))
}

func BenchmarkRatioFeed(b *testing.B) {
	feed := func(n int) func() time.Duration {
		all := foreign(n)
		for i, s := range all {
			p := s.(*signals.Signal[signals.Proposal])
			p.Seq, p.Source, p.Time = uint64(i+1), "a", time.Now()
		}
		return func() time.Duration {
			to := newBus(b, &bus.Options{Conflicts: &conflict.Options{Off: true}})
			return timetest.Took(func() {
				if err := to.Feed(b.Context(), all...); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	timetest.Ratio(b, 40, feed(8_000), feed(64_000))
}

// foreign returns n proposals whose ids are not of the bus.
func foreign(n int) (all []signals.Any) {
	for i := range n {
		s := proposes("t", fmt.Sprint("p", i), fmt.Sprint(i))
		s.ID = signals.MustID(fmt.Sprint("own-", i))
		all = append(all, s)
	}
	return all
}
