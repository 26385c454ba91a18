package reliability_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// BenchmarkLearn compares, in turns, what a ledger with 64 choices and one with four take to learn from a hundred
// decisions of 512 voters, the most among whom it looks for copies.
func BenchmarkLearn(b *testing.B) {
	const voters, decisions = 512, 100
	var ledgers [2]*reliability.Ledger
	for i, choices := range []int{64, 4} {
		ledgers[i] = polled(b, voters, decisions, choices)
	}
	least := [2]time.Duration{time.Hour, time.Hour} // other programs only make it slower
	for b.Loop() {
		for i, l := range ledgers {
			start := time.Now()
			undo := l.Learn()
			least[i] = min(least[i], time.Since(start))
			undo()
		}
	}
	b.ReportMetric(least[0].Seconds(), "s/64-choices")
	b.ReportMetric(float64(least[0])/float64(least[1]), "64/4-choices")
}

// polled returns a ledger of voters who are right in seven of ten decisions.
func polled(b *testing.B, voters, decisions, choices int) *reliability.Ledger {
	r, o := rand.New(rand.NewPCG(1, 1)), new(reliability.Options)
	for c := range choices {
		o.Choices = append(o.Choices, fmt.Sprint("choice ", c))
	}
	l, err := reliability.NewLedger(o)
	if err != nil {
		b.Fatal(err)
	}
	for range decisions {
		truth := r.IntN(choices)
		var votes []consensus.Vote
		for j := range voters {
			said := truth
			if r.Float64() > 0.7 {
				said = r.IntN(choices)
			}
			votes = append(votes, agree(fmt.Sprint("voter ", j), o.Choices[said]))
		}
		if err := l.Observe("", closed(nil, o.Choices, votes)); err != nil {
			b.Fatal(err)
		}
	}
	return l
}
