package consensus

import (
	"fmt"
	"testing"
)

// BenchmarkGrouped decides on voters in ten groups.
func BenchmarkGrouped(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("votes=%d/proposals=%d", size.votes, size.proposals), func(b *testing.B) {
			proposals, votes := crowd(size.votes, size.proposals)
			o := &Options{Groups: map[string]string{}}
			for i, v := range votes {
				o.Groups[v.Voter] = fmt.Sprint(i % 10)
			}
			ballots, err := NewBallots(o, proposals, votes)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				sink = Grouped{}.Decide(ballots)
			}
		})
	}
}
