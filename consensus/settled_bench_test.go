package consensus

import (
	"fmt"
	"testing"
)

// BenchmarkSettled checks a decision that stands while a tenth of the
// electorate may still vote.
func BenchmarkSettled(b *testing.B) {
	for _, s := range Builtin() {
		for _, n := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("%s/votes=%d", s.Name(), n), func(b *testing.B) {
				o := &Options{Threshold: 0.5}
				_, votes := crowd(n, 1)
				for i := range votes {
					votes[i].Stance, votes[i].Weight = Agree, 1
					o.Electorate = append(o.Electorate, votes[i].Voter)
				}
				ballots, err := NewBallots(o, []string{"proposal-0"}, votes[:n-n/10])
				if err != nil {
					b.Fatal(err)
				}
				settled := false
				b.ReportAllocs()
				for b.Loop() {
					settled = Settled(s, ballots, Left{})
				}
				if !settled {
					b.Fatal("not settled")
				}
			})
		}
	}
}
