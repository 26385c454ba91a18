package reliability_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// agent is one as swarms have them: right so often, or stubborn, lazy or sycophantic.
type agent struct {
	right     float64
	stubborn  bool // always says the same
	lazy      bool // answers at random
	follows   bool // says what the agent before it said
	alternate int  // number of its usual wrong answer
}

// swarms are planted as they are met. Every decision has its own proposals.
var swarms = map[string][]agent{
	"two stubborn of twelve": append(slices.Repeat([]agent{{right: 0.85}}, 10), agent{stubborn: true}, agent{stubborn: true, alternate: 1}),
	"one lazy of five":       {{right: 0.8}, {right: 0.8}, {right: 0.8}, {right: 0.75}, {lazy: true}},
	"three lazy of eight":    append(slices.Repeat([]agent{{right: 0.8}}, 5), slices.Repeat([]agent{{lazy: true}}, 3)...),
	"a sycophant of six":     {{right: 0.85}, {follows: true}, {right: 0.75}, {right: 0.75}, {right: 0.7}, {right: 0.7}},
	"one strong of five":     {{right: 0.95}, {right: 0.6}, {right: 0.6}, {right: 0.6}, {right: 0.6}},
	"all alike, seven":       slices.Repeat([]agent{{right: 0.75}}, 7),
	"twenty good ones":       append(slices.Repeat([]agent{{right: 0.9}}, 18), agent{stubborn: true}, agent{stubborn: true, alternate: 1}),
	"three":                  {{right: 0.8}, {right: 0.8}, {right: 0.8}},
}

const answers = 4

var all = flag.Bool("all", false, "all draws of the tests that are statistical, of which a quarter is taken otherwise")

// task returns the ballots of a decision, and the proposal that is right.
func task(team []agent, n int, r *rand.Rand) (consensus.Ballots, string) {
	truth := r.IntN(answers)
	var proposals []string
	for p := range answers {
		proposals = append(proposals, fmt.Sprintf("%d.%d", n, p))
	}
	var votes []consensus.Vote
	was := 0
	for j, a := range team {
		said := truth
		switch {
		case a.follows:
			said = was
		case a.stubborn:
			said = a.alternate
		case a.lazy || r.Float64() >= a.right:
			said = r.IntN(answers)
		}
		was = said
		votes = append(votes, agree(fmt.Sprint("agent ", j), proposals[said]))
	}
	return closed(nil, proposals, votes), proposals[truth]
}

// Without outcomes, what is learned decides no less than the weight of the votes, and is right no less, at any stage.
func TestLearningIsNeverWorseThanTheVote(t *testing.T) {
	const solves = 150
	draws := 1
	if *all {
		draws = 4
	}
	ends := []int{10, 20, 60, solves}
	for name, team := range swarms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			type score struct{ n, decided, right float64 }
			learned, weight := make([]score, len(ends)), make([]score, len(ends))
			for draw := range uint64(draws) {
				l, r := new(reliability.Ledger), rand.New(rand.NewPCG(draw, 7))
				for n := range solves {
					b, truth := task(team, n, r)
					stage := slices.IndexFunc(ends, func(end int) bool { return n < end })
					for of, d := range map[*score]consensus.Decision{
						&learned[stage]: l.Strategy().Decide(b), &weight[stage]: consensus.ConfidenceWeighted{}.Decide(b),
					} {
						of.n++
						if d.Outcome == consensus.Reached {
							of.decided++
						}
						if d.Choice == truth {
							of.right++
						}
					}
					if err := l.Observe("", b); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i, end := range ends {
				got, want, noise := learned[i], weight[i], 2/learned[i].n
				if got.decided/got.n < want.decided/want.n-noise || got.right/got.n < want.right/want.n-noise {
					t.Errorf("before solve %d: decided %.3f, right %.3f; by weight %.3f, %.3f", end,
						got.decided/got.n, got.right/got.n, want.decided/want.n, want.right/want.n)
				}
			}
		})
	}
}

// Three of nine who say the same, right or wrong, are found to be copies before they are believed.
func TestColludersOnOneProposalDoNotMakeItWorseThanTheVote(t *testing.T) {
	t.Parallel()
	const draws, solves, stage = 12, 100, 20
	var learned, weight [solves / stage]float64
	for draw := range uint64(draws) {
		l, r := new(reliability.Ledger), rand.New(rand.NewPCG(draw, 9))
		for n := range solves {
			right, said := r.IntN(2) == 0, r.IntN(2) == 0
			var votes []consensus.Vote
			for j := range 9 {
				yes := right == (r.Float64() < 0.8)
				if j >= 6 {
					yes = said
				}
				v := agree(fmt.Sprint("agent ", j), "it")
				if !yes {
					v.Stance = consensus.Disagree
				}
				votes = append(votes, v)
			}
			want := consensus.Rejected
			if right {
				want = consensus.Reached
			}
			b := closed(nil, []string{"it"}, votes)
			if l.Strategy().Decide(b).Outcome == want {
				learned[n/stage]++
			}
			if (consensus.ConfidenceWeighted{}).Decide(b).Outcome == want {
				weight[n/stage]++
			}
			if err := l.Observe("", b); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, got := range learned {
		if got < weight[i] {
			t.Errorf("decisions %d to %d: right in %v, by weight in %v of %d", i*stage+1, (i+1)*stage, got, weight[i], draws*stage)
		}
	}
}
