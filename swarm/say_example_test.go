package swarm_test

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A person says something while a solve runs, and an agent proposes what it says.
func ExampleSwarm_Say() {
	obeys := agents.On(func(_ context.Context, m *signals.Signal[routing.UserMessage]) seq {
		return agents.Emit(agents.Propose("b", "as told: "+m.Payload.Text, 0.9, "a person says so"))
	})
	likes := map[string]signals.Stance{"b": signals.Agree}
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		proposer("ann", "a", "close the port"),
		{ID: "ops", Reactor: obeys},
		voter("ben", likes), voter("carl", likes),
	}, Seed: 1})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	for event, err := range s.Stream(context.Background(), signals.Task{Task: "What about the port?"}) {
		if err != nil {
			panic(err)
		}
		switch e := event.(type) {
		case solves.Spoke:
			if p, ok := signals.As[signals.Proposal](e.Signal); ok && p.Source == "ann" {
				if err := s.Say(context.Background(), p.Thread, runlog.Message{Text: "move the port", By: "eve"}); err != nil {
					panic(err)
				}
			}
		case solves.Stopped:
			fmt.Println(e.Result.Stop, e.Result.Answer)
		}
	}
	// Output:
	// consensus as told: move the port
}
