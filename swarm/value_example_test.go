package swarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// A mishap is what the agents decide on. Agents with models are told its JSON schema.
type mishap struct {
	Severity int    `json:"severity" jsonschema:"from 1, which can wait, to 5, which cannot"`
	Owner    string `json:"owner" jsonschema:"the team that mends it"`
}

// values proposes a value and votes for it. Equal values of several agents are one proposal.
func values(id string, of mishap, why string) *agents.Agent {
	content, err := json.Marshal(of)
	if err != nil {
		log.Fatal(err)
	}
	return &agents.Agent{ID: id, Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose(id, string(content), 0.8, why), agents.Agree(id, 0.8, why))
	})}
}

// Five agents decide on an incident, and agree on it field by field.
func ExampleSolve() {
	s, err := swarm.New(swarm.Options{Seed: 1, Agents: []*agents.Agent{
		values("ada", mishap{5, "storage"}, "writes are lost"),
		values("bob", mishap{5, "storage"}, "the disks are full"),
		values("cyd", mishap{5, "storage"}, "no host can write"),
		values("dan", mishap{5, "storage"}, "the quota is theirs"),
		values("eve", mishap{5, "network"}, "packets are dropped, too"),
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	r, err := swarm.Solve[mishap](context.Background(), s, signals.Task{Task: "How bad is the incident, and whose is it?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: severity %d, %s\n", r.Stop, r.Value.Severity, r.Value.Owner)
	for _, f := range r.Fields() {
		fmt.Printf("%s: %s, %d of %d\n", f.Path, f.Value, f.Agree, f.Of)
		for _, other := range f.Other {
			fmt.Printf("  %s by %v\n", other.Value, other.By)
		}
	}
	// Output:
	// consensus: severity 5, storage
	// owner: "storage", 4 of 5
	//   "network" by [eve]
	// severity: 5, 5 of 5
}
