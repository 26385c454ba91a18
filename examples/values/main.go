// Values lets five agents decide on an incident: a Go value, which they agree on field by field.
package main

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

// An Incident is what the agents decide on. Agents with models are told its JSON schema.
type Incident struct {
	Severity int    `json:"severity" jsonschema:"from 1, which can wait, to 5, which cannot"`
	Owner    string `json:"owner" jsonschema:"the team that mends it"`
}

// judge proposes a value and votes for it. Equal values of several agents are one proposal.
func judge(id string, of Incident, why string) *agents.Agent {
	content, err := json.Marshal(of)
	if err != nil {
		log.Fatal(err)
	}
	return &agents.Agent{ID: id, Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose(id, string(content), 0.8, why), agents.Agree(id, 0.8, why))
	})}
}

func main() {
	s, err := swarm.New(swarm.Options{Seed: 1, Agents: []*agents.Agent{
		judge("ada", Incident{5, "storage"}, "writes are lost"),
		judge("bob", Incident{5, "storage"}, "the disks are full"),
		judge("cyd", Incident{5, "storage"}, "no host can write"),
		judge("dan", Incident{5, "storage"}, "the quota is theirs"),
		judge("eve", Incident{5, "network"}, "packets are dropped, too"),
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	r, err := swarm.Solve[Incident](context.Background(), s, signals.Task{Task: "How bad is the incident, and whose is it?"})
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
}
