package mode_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// BenchmarkRatioStep takes a step of a vote in which all answers differ, with a hundred
// members and with sixteen times as many: 16 times as long was measured, and 355 when each
// call looked for its answer among all others.
func BenchmarkRatioStep(b *testing.B) {
	const small, times = 100, 16
	step := func(n int) func() time.Duration {
		p := &mode.Plan{Mode: mode.Vote, Members: team(n, 0, 0.5), Calls: 3 * n, Lead: 4}
		var calls []mode.Call
		var ids []string
		var votes []consensus.Vote
		for i, m := range p.Members {
			id := fmt.Sprint("p", i)
			calls, ids = append(calls, mode.Call{Part: mode.Answer, Agent: m.ID, Answer: id}), append(ids, id)
			votes = append(votes, consensus.Vote{Seq: uint64(i + 1), Voter: m.ID, ProposalID: id, Stance: consensus.Agree, Weight: 1})
		}
		ballots, err := consensus.NewBallots(nil, ids, votes)
		if err != nil {
			b.Fatal(err)
		}
		return func() time.Duration {
			return timetest.Took(func() {
				if s := p.Next(calls); len(s.Ask) < 4 || len(s.Ask) > 8 {
					b.Fatalf("of %d members %d are asked; want a few more", n, len(s.Ask))
				}
				if d := p.Decide(ballots.Close(), calls); len(d.Leaders) != n {
					b.Fatalf("%d of %d are tied", len(d.Leaders), n)
				}
			})
		}
	}
	timetest.Ratio(b, 80, step(small), step(small*times))
}
