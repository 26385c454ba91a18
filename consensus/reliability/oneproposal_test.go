package reliability

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestOneProposalIsDecidedByHowOftenProposalsWereRight(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		right []float64
		yes   int // how many voters, the last ones, always agree
		share float64
		every int
		gain  float64 // least worth beyond that by weight
	}{
		{[]float64{0.82, 0.79, 0.76, 0.73}, 1, 0.85, 1, 0.05},
		{[]float64{0.85, 0.85, 0.85}, 0, 0.93, 0, 0.2},
		{[]float64{0.85, 0.75, 0.65}, 2, 0.2, 10, 0.3},
	} {
		const draws, decisions, from = 8, 180, 60
		worth := func(d consensus.Decision, right bool) float64 {
			switch {
			case d.Outcome != consensus.Reached && d.Outcome != consensus.Rejected:
				return 0
			case (d.Outcome == consensus.Reached) == right:
				return 1.0 / (draws * (decisions - from))
			}
			return -7.0 / 3 / (draws * (decisions - from))
		}
		learned, weight := 0.0, 0.0
		for seed := range uint64(draws) {
			w, l := newWorld(9100+seed, 2), newLedger(t, nil)
			for i := range decisions {
				right := w.Float64() < c.share
				var cast []consensus.Vote
				for j := range len(c.right) + c.yes {
					v := vote(j, "a")
					if j < len(c.right) && right != (w.Float64() < c.right[j]) {
						v.Stance = consensus.Disagree
					}
					cast = append(cast, v)
				}
				b := between(t, letters(1), cast...).Close()
				if i >= from {
					learned += worth(l.Strategy().Decide(b), right)
					weight += worth(consensus.Default().Decide(b), right)
				}
				what := ""
				if right {
					what = "a"
				}
				if err := observe(l, fmt.Sprint(i), b, what, nth(i, c.every)); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Logf("%v and %d who always agree, right in %v: worth %.2f, by weight %.2f", c.right, c.yes, c.share, learned, weight)
		if learned < weight+c.gain {
			t.Errorf("%v and %d who always agree, right in %v: worth %.2f, by weight %.2f", c.right, c.yes, c.share, learned, weight)
		}
	}
}
