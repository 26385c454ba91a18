package consensus

import (
	"fmt"
	"testing"
)

func BenchmarkSurprising(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("votes=%d/proposals=%d", size.votes, size.proposals), func(b *testing.B) {
			proposals, votes := crowd(size.votes, size.proposals)
			for i := range votes {
				votes[i].Expected = 0.4
			}
			ballots, err := NewBallots(nil, proposals, votes)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				sink = Surprising{}.Decide(ballots)
			}
		})
	}
}
