package swarm_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// answers is an agent that is right with that chance. All are as sure of themselves.
func answers(id string, chance float64) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		if t.Round > 1 {
			return agents.Emit()
		}
		answer := "wrong"
		if t.Rand().Float64() < chance {
			answer = "right"
		}
		return agents.Emit(agents.Propose(id, answer, 0.8, ""), agents.Agree(id, 0.8, ""))
	})}
}

// A swarm learns whom to trust: two agents who are seldom right outvote one who is most of the
// time, until the swarm has been told often enough what was right.
func Example_learning() {
	s, err := swarm.New(swarm.Options{Seed: 1, Agents: []*agents.Agent{answers("ada", 0.9), answers("bob", 0.3), answers("cyd", 0.3)}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for decade := range 6 {
		decided, right := 0, 0
		for range 20 {
			result, err := s.Solve(context.Background(), signals.Task{Task: "Right or wrong?"})
			if err != nil {
				log.Fatal(err)
			}
			if result.Stop == runlog.StopConsensus {
				decided++
				if result.Answer == "right" {
					right++
				}
			}
			if err := s.RecordOutcome(result, proposalOf(result, "right")); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Printf("tasks %3d to %3d: decided %2d, right %2d\n", 20*decade+1, 20*decade+20, decided, right)
	}
	known, _ := s.Ledger().Models()
	for _, voter := range known.Voters() {
		r, _ := known.Reliability(voter, 2)
		fmt.Printf("%s: agrees with %.0f%% of what is right, disagrees with %.0f%% of what is wrong\n", voter, 100*r.Sensitivity, 100*r.Specificity)
	}
	// Output:
	// tasks   1 to  20: decided  9, right  8
	// tasks  21 to  40: decided 16, right 13
	// tasks  41 to  60: decided 14, right 13
	// tasks  61 to  80: decided 20, right 18
	// tasks  81 to 100: decided 20, right 18
	// tasks 101 to 120: decided 20, right 19
	// ada: agrees with 90% of what is right, disagrees with 95% of what is wrong
	// bob: agrees with 34% of what is right, disagrees with 67% of what is wrong
	// cyd: agrees with 35% of what is right, disagrees with 68% of what is wrong
}

// proposalOf is the id of the proposal that says so, "" if none does.
func proposalOf(r *solves.Result, answer string) string {
	for _, s := range r.Log {
		if p, ok := signals.As[signals.Proposal](s); ok && p.Payload.Content == answer {
			return p.Payload.ProposalID
		}
	}
	return ""
}
