package consensus_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/timetest"
)

// BenchmarkRatioChange has one voter vote for each of n proposals, and change all its votes:
// that does not take a pass over all of them for each.
func BenchmarkRatioChange(b *testing.B) {
	const n = 4000
	vote := func(r *consensus.Round, v consensus.Vote) time.Duration {
		v.Voter = "v"
		return timetest.Took(func() {
			for i := range n {
				v.ProposalID = fmt.Sprint(i)
				if err := r.Vote(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	agreed := func() (*consensus.Round, time.Duration) {
		r := voting(b)
		for i := range n {
			r.Propose(fmt.Sprint(i))
		}
		return r, vote(r, consensus.Vote{Seq: 1, Stance: consensus.Agree, Weight: 1})
	}
	cast := func() time.Duration { _, took := agreed(); return took }
	for name, again := range map[string]consensus.Vote{
		"lower":   {Seq: 2, Stance: consensus.Agree, Weight: 0.5},
		"abstain": {Seq: 2, Stance: consensus.Abstain, Weight: 1},
	} {
		b.Run(name, func(b *testing.B) {
			timetest.Ratio(b, 10, cast, func() time.Duration { r, _ := agreed(); return vote(r, again) })
		})
	}
}

// BenchmarkRatioRound votes and proposes 500 times after 100 votes and after 9,500: neither
// takes a pass over all votes.
func BenchmarkRatioRound(b *testing.B) {
	vote := func(r *consensus.Round, from, to int) {
		for i := from; i < to; i++ {
			if err := r.Vote(consensus.Vote{Voter: fmt.Sprint(i), ProposalID: "a", Stance: consensus.Agree, Weight: 1}); err != nil {
				b.Fatal(err)
			}
		}
	}
	for name, more := range map[string]func(r *consensus.Round, votes int){
		"vote": func(r *consensus.Round, votes int) { vote(r, votes, votes+500) },
		"propose": func(r *consensus.Round, _ int) {
			for i := range 500 {
				r.Propose(fmt.Sprint("p", i))
			}
		},
	} {
		after := func(votes int) func() time.Duration {
			return func() time.Duration {
				r := voting(b)
				r.Propose("a")
				vote(r, 0, votes)
				return timetest.Took(func() { more(r, votes) })
			}
		}
		b.Run(name, func(b *testing.B) { timetest.Ratio(b, 8, after(100), after(9500)) })
	}
}

func voting(b *testing.B) *consensus.Round {
	r, err := consensus.NewRound(consensus.Voting{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return r
}
