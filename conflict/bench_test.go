package conflict_test

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// The signals are made beforehand, so that only the detector is measured.
func made(n int, source, content func(int) string) []signals.Any {
	all := make([]signals.Any, n)
	for i := range all {
		all[i] = proposal{uint64(i + 1), "t", source(i), content(i)}.signal()
	}
	return all
}

func numbered(name string) func(int) string {
	return func(i int) string { return fmt.Sprint(name, i) }
}

// BenchmarkProposal folds a proposal of a thread with 10,000 others and
// removes the oldest, so that it stays at 10,000.
func BenchmarkProposal(b *testing.B) {
	one := func(int) string { return "one" }
	for name, all := range map[string][]signals.Any{
		"everybody differs":     made(40_000, numbered("a"), numbered("content ")),
		"one agent's own":       made(40_000, one, numbered("content ")),
		"everybody says so":     made(40_000, numbered("a"), one),
		"one against an answer": made(40_000, func(i int) string { return fmt.Sprint("a", i/20_000) }, numbered("content ")),
	} {
		b.Run(name, func(b *testing.B) {
			var d *conflict.Detector
			n := len(all)
			fold := func() {
				d.Fold(all[n])
				n++
			}
			b.ReportAllocs()
			for b.Loop() {
				if n == len(all) { // sequence numbers only grow: a new log
					b.StopTimer()
					d, n = conflict.NewDetector(nil), 0
					for range 10_000 {
						fold()
					}
					b.StartTimer()
				}
				fold()
				d.Remove(all[n-10_001].Head().ID)
			}
		})
	}
}
