package connectivity_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// BenchmarkRatioRegister registers a thousand components of a thread that has a thousand,
// and one that has a hundred thousand.
func BenchmarkRatioRegister(b *testing.B) {
	register := func(n int) func() time.Duration {
		l := made(connectivity.New(newBus(b, nil), nil))
		thousand := func() {
			for range 1000 {
				if err := l.Register("t", fmt.Sprint("component-", n)); err != nil {
					b.Fatal(err)
				}
				n++
			}
		}
		for range n / 1000 {
			thousand()
		}
		return func() time.Duration { return timetest.Took(thousand) }
	}
	timetest.Ratio(b, 40, register(1_000), register(100_000))
}

// BenchmarkRatioStep takes a step in which each expiring signal has an end of its own: 32
// times as many take 32 times as long, and 6,400 times when ids were compared with all
// earlier ones.
func BenchmarkRatioStep(b *testing.B) {
	step := func(n int) func() time.Duration {
		return func() time.Duration {
			l := made(connectivity.New(newBus(b, nil), nil))
			for i := range n {
				if _, err := l.Emit(ctx, says("x", by(fmt.Sprint("s", i)), to(coordination.Self), until(1))); err != nil {
					b.Fatal(err)
				}
			}
			return timetest.Took(func() {
				if _, err := l.AdvanceStep(ctx, "t"); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	timetest.Ratio(b, 32*40, step(1000), step(32_000))
}
