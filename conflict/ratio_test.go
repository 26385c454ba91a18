package conflict_test

import (
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/internal/timetest"
)

// BenchmarkRatioRemove removes 900 of 1,000 live proposals of a thread, and of 16,000: a
// removal does not look at all of them.
func BenchmarkRatioRemove(b *testing.B) {
	remove := func(live int) func() time.Duration {
		return func() time.Duration {
			d := conflict.NewDetector(nil)
			turnover(d, live, live, false)
			return timetest.Took(func() {
				for i := range 900 {
					d.Remove(proposal{seq: uint64(i + 1)}.id())
				}
			})
		}
	}
	timetest.Ratio(b, 4, remove(1000), remove(16_000))
}
