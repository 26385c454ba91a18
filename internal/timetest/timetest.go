// Package timetest has what tests need of the clock of the machine: a bound against
// hanging for those that wait, and a comparison of durations for benchmarks. No other
// test looks at that clock: time passes in bubbles of [testing/synctest], or by a clock
// that the test sets.
package timetest

import (
	"context"
	"testing"
	"time"
)

// Hang is how long a test waits for what must happen. A test that waits so long hangs:
// no load of a machine makes it wait half of that.
const Hang = 4 * time.Minute

// Context returns a context that ends with the test, or if the test hangs.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Hang)
	t.Cleanup(cancel)
	return ctx
}

// Until returns when ok does return true, and fails the test if that never happens. It
// asks again and again: it is for what another process does without a word about it.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for hang := time.Now().Add(Hang); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(hang) {
			t.Fatalf("waited %v in vain: %s", Hang, what)
		}
	}
}

// Ratio fails the benchmark if large takes more than most times as long as small, and
// reports how many times it does. Both return the time of what they measure. The least of
// a few runs in turns is compared: other programs only make them slower.
func Ratio(b *testing.B, most float64, small, large func() time.Duration) {
	b.Helper()
	least := [2]time.Duration{time.Hour, time.Hour}
	try := func() { least[0], least[1] = min(least[0], small()), min(least[1], large()) }
	times := func() float64 { return float64(least[1]) / float64(max(least[0], time.Microsecond)) }
	for b.Loop() {
		try()
	}
	for tries := 0; times() > most && tries < 8; tries++ {
		try()
	}
	b.ReportMetric(times(), "times")
	if times() > most {
		b.Errorf("%v becomes %v: %.1f times as much, at most %v are allowed", least[0], least[1], times(), most)
	}
}

// Took returns how long f takes.
func Took(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
