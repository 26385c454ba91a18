package swarm_test

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An agent is made while a solve runs, and joins it: its vote is the one that was missing.
func ExampleSwarm_Join() {
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{
		proposer("ann", "a", "close the port"), voter("ben", agree), voter("carl", nil),
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
			if m, ok := runlog.MemberOf(e.Signal); ok {
				fmt.Println(m)
			}
			if p, ok := signals.As[signals.Proposal](e.Signal); ok {
				if err := s.Join(context.Background(), p.Thread, voter("security", agree)); err != nil {
					panic(err)
				}
			}
		case solves.Stopped:
			fmt.Println(e.Result.Stop, e.Result.Answer)
		}
	}
	// Output:
	// security joins
	// consensus close the port
}
