package choice_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/choice"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// pays is how often a way of working leads to what is right, which the agent has to find out.
var pays = map[string]float64{"search first": 0.8, "ask for evidence": 0.6, "propose at once": 0.3}

// work proposes what the way of working that was chosen leads to.
func work(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	answer := "wrong"
	if t.Rand().Float64() < pays[t.Strategy] {
		answer = "right"
	}
	return agents.Emit(agents.Propose(answer, answer, 0.8, "by "+t.Strategy), agents.Agree(answer, 0.8, ""))
}

// An agent learns, by Thompson sampling, which of its ways of working serves it: after each
// task it learns whether its proposal was right.
func Example_learning() {
	sampler, err := choice.New("propose at once", "ask for evidence", "search first")
	if err != nil {
		log.Fatal(err)
	}
	s, err := swarm.New(swarm.Options{Seed: 1, Strategy: consensus.Voting{}, Agents: []*agents.Agent{
		{ID: "ada", Listens: []signals.Kind{signals.KindTask}, Reactor: agents.Func(work), Strategies: sampler},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for range 200 {
		result, err := s.Solve(context.Background(), signals.Task{Task: "Right or wrong?"})
		if err != nil {
			log.Fatal(err)
		}
		right := "" // nobody proposed it
		if result.Answer == "right" {
			right = "right"
		}
		if err := s.RecordOutcome(result, right); err != nil {
			log.Fatal(err)
		}
	}
	for _, a := range sampler.Arms() {
		fmt.Printf("%-16s chosen %3.0f times, right about %.2f\n", a.Name, a.Gains+a.Losses, a.Mean())
	}
	// Output:
	// propose at once  chosen   2 times, right about 0.25
	// ask for evidence chosen  24 times, right about 0.69
	// search first     chosen 174 times, right about 0.81
}
