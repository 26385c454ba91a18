package consensus

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// crowd returns n votes, one per voter, mostly for the first of k proposals.
func crowd(n, k int) ([]string, []Vote) {
	rng := rand.New(rand.NewPCG(1, 2))
	proposals := make([]string, k)
	for i := range proposals {
		proposals[i] = fmt.Sprintf("proposal-%d", i)
	}
	votes := make([]Vote, n)
	for i := range votes {
		p := proposals[rng.IntN(k)*rng.IntN(2)]
		votes[i] = Vote{
			Seq: uint64(i + 1), Voter: fmt.Sprintf("agent-%d", i), ProposalID: p,
			Stance: Agree + Stance(rng.IntN(5)/3), Weight: float64(rng.IntN(101)) / 100,
		}
	}
	return proposals, votes
}

var sizes = []struct{ votes, proposals int }{{5, 5}, {100, 5}, {10_000, 5}, {10_000, 100}}

var sink Decision

func BenchmarkDecide(b *testing.B) {
	for _, s := range Builtin() {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("%s/votes=%d/proposals=%d", s.Name(), size.votes, size.proposals), func(b *testing.B) {
				proposals, votes := crowd(size.votes, size.proposals)
				ballots, err := NewBallots(nil, proposals, votes)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					sink = s.Decide(ballots)
				}
			})
		}
	}
}

// BenchmarkCopy compares, in turns, a decision that Decide returns with one that is written where it is wanted.
func BenchmarkCopy(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("votes=%d/proposals=%d", size.votes, size.proposals), func(b *testing.B) {
			proposals, votes := crowd(size.votes, size.proposals)
			ballots, err := NewBallots(nil, proposals, votes)
			if err != nil {
				b.Fatal(err)
			}
			var s builtin = ConfidenceWeighted{}
			least := [2]time.Duration{time.Hour, time.Hour} // other programs only make it slower
			for b.Loop() {
				start := time.Now()
				for range 100 {
					sink = s.Decide(ballots)
				}
				half := time.Now()
				for range 100 {
					ballots.board().decide(s, ballots.closed, &sink)
				}
				least[0], least[1] = min(least[0], half.Sub(start)), min(least[1], time.Since(half))
			}
			b.ReportMetric(float64(least[0])/100, "ns/returned")
			b.ReportMetric(float64(least[0])/float64(least[1]), "returned/written")
		})
	}
}

// BenchmarkRound adds one more vote to an open round, by a voter that has voted before, without and with
// a decision after it.
func BenchmarkRound(b *testing.B) {
	for _, s := range Builtin() {
		for _, size := range sizes {
			name := fmt.Sprintf("%s/votes=%d/proposals=%d", s.Name(), size.votes, size.proposals)
			b.Run(name+"/vote", func(b *testing.B) { benchmarkRound(b, s, size.votes, size.proposals, false) })
			b.Run(name+"/decision", func(b *testing.B) { benchmarkRound(b, s, size.votes, size.proposals, true) })
		}
	}
}

func benchmarkRound(b *testing.B, s Strategy, n, k int, ask bool) {
	proposals, votes := crowd(n, k)
	r, err := NewRound(s, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range proposals {
		if err := r.Propose(p); err != nil {
			b.Fatal(err)
		}
	}
	seq := uint64(0)
	vote := func() {
		v := votes[seq%uint64(n)]
		seq++
		v.Seq = seq
		if seq/uint64(n)%2 == 1 {
			v.Weight = 1 - v.Weight
		}
		if err := r.Vote(v); err != nil {
			b.Fatal(err)
		}
	}
	for range 3 * n {
		vote()
	}
	b.ReportAllocs()
	for b.Loop() {
		vote()
		if ask {
			sink = r.Decision()
		}
	}
}

// BenchmarkCount measures the pass over the votes that building ballots
// includes, so that deciding need not.
func BenchmarkCount(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("votes=%d/proposals=%d", size.votes, size.proposals), func(b *testing.B) {
			proposals, votes := crowd(size.votes, size.proposals)
			ballots, err := NewBallots(nil, proposals, votes)
			if err != nil {
				b.Fatal(err)
			}
			r := *ballots.rec
			b.ReportAllocs()
			for b.Loop() {
				r.total, r.levels = tally{}, nil
				r.count()
			}
		})
	}
}

func BenchmarkBallots(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("votes=%d/proposals=%d", size.votes, size.proposals), func(b *testing.B) {
			proposals, votes := crowd(size.votes, size.proposals)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NewBallots(nil, proposals, votes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
