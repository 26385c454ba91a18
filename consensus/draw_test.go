package consensus_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

func drawProposals(t *rapid.T) []string {
	all := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	return all[:rapid.IntRange(0, len(all)).Draw(t, "proposals")]
}

func drawVote(t *rapid.T) consensus.Vote {
	return consensus.Vote{
		Seq:        rapid.Uint64Range(0, 20).Draw(t, "seq"),
		Voter:      fmt.Sprint("v", rapid.IntRange(0, 7).Draw(t, "voter")),
		ProposalID: string(rune('a' + rapid.IntRange(0, 10).Draw(t, "proposal"))),
		Stance:     consensus.Stance(rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3}).Draw(t, "stance")),
		Weight:     float64(rapid.SampledFrom([]int{0, 1, 3, 5, 7, 10, 10}).Draw(t, "weight")) / 10,
		Reasoning:  rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "reason"),
	}
}

func drawOptions(t *rapid.T) *consensus.Options {
	if rapid.IntRange(0, 3).Draw(t, "defaults") == 0 {
		return nil
	}
	o := &consensus.Options{
		Threshold:   rapid.SampledFrom([]float64{0, 0.3, 0.5, 0.7, 0.9, 1}).Draw(t, "threshold"),
		Quorum:      rapid.IntRange(0, 3).Draw(t, "quorum"),
		Correlation: rapid.SampledFrom([]float64{0, consensus.Independent, 0.05, 1}).Draw(t, "correlation"),
	}
	if rapid.Bool().Draw(t, "ranked") {
		o.Ranks = map[string]int{"v0": 2, "v1": 2, "v2": 1, "v3": -1, "v9": 5}
	}
	if rapid.IntRange(0, 3).Draw(t, "electorate") == 0 {
		o.Electorate = []string{"v0", "v1", "v2", "v3", "v4"}
	}
	return o
}

func drawRates(t *rapid.T) consensus.Rates {
	rates := consensus.Rates{}
	for i := range 5 {
		rates[fmt.Sprint("v", i)] = consensus.Reliability{
			Sensitivity: rapid.Float64Range(0.1, 0.95).Draw(t, "sensitivity"),
			Specificity: rapid.Float64Range(0.1, 0.95).Draw(t, "specificity"),
		}
	}
	return rates
}
