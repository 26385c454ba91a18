package mode_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// A step of a vote in which all answers differ takes about sixteen times as long with sixteen
// times as many members: 16 were measured, and 355 when each call looked for its answer
// among all others.
func TestAStepOfAVoteCostsWhatItsCallsDo(t *testing.T) {
	const small, times, most = 100, 16, 80
	step := func(n int) func() {
		p := &mode.Plan{Mode: mode.Vote, Members: team(n, 0, 0.5), Calls: 3 * n, Lead: 4}
		var calls []mode.Call
		var ids []string
		var votes []consensus.Vote
		for i, m := range p.Members {
			id := fmt.Sprint("p", i)
			calls, ids = append(calls, mode.Call{Part: mode.Answer, Agent: m.ID, Answer: id}), append(ids, id)
			votes = append(votes, consensus.Vote{Seq: uint64(i + 1), Voter: m.ID, ProposalID: id, Stance: consensus.Agree, Weight: 1})
		}
		b, err := consensus.NewBallots(nil, ids, votes)
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if s := p.Next(calls); len(s.Ask) < 4 || len(s.Ask) > 8 {
				t.Fatalf("of %d members %d are asked; want a few more", n, len(s.Ask))
			}
			if d := p.Decide(b.Close(), calls); len(d.Leaders) != n {
				t.Fatalf("%d of %d are tied", len(d.Leaders), n)
			}
		}
	}
	few, many := fastest(step(small)), fastest(step(small*times))
	t.Logf("%v with %d members, %v with %d: %.1f times", few, small, many, small*times, float64(many)/float64(few))
	if many > most*few {
		t.Errorf("a step takes %.0f times as long with %d times the members", float64(many)/float64(few), times)
	}
}

// fastest returns the least time that f takes.
func fastest(f func()) time.Duration {
	least := time.Hour
	for range 5 {
		began := time.Now()
		f()
		least = min(least, time.Since(began))
	}
	return least
}
