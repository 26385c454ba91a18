package transcript_test

import (
	"context"
	"fmt"
	"iter"
	"os"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// Log writes the signals of a solve as lines of JSON.
func ExampleLog() {
	clerk := &agents.Agent{
		ID: "clerk", Listens: []signals.Kind{signals.KindTask},
		Reactor: agents.Each(func(context.Context, signals.Any) iter.Seq2[signals.Any, error] {
			return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "ask the owner"}))
		}),
	}
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{clerk}, Seed: 1, Clock: swarm.StepClock(epoch, 0)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	show := transcript.Log(os.Stdout)
	for event, err := range s.Stream(context.Background(), signals.Task{Task: "May we delete it?"}) {
		if err == nil {
			err = show(event)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// {"seq":1,"id":"sig_d5ari0041hnc7580000g","type":"task:new","source":"system","thread":"solve-00000001-1","confidence":1,"timestamp":1767225600000,"ttl":-1,"payload":{"task":"May we delete it?"}}
	// {"seq":2,"id":"sig_d5ari0041hnc75800010","type":"round:began","source":"system","thread":"solve-00000001-1","confidence":1,"timestamp":1767225600000,"ttl":-1,"recipients":["system"],"metadata":{"round":1},"payload":{"turns":[{"agent":"clerk","through":1}],"seed":1}}
	// {"seq":3,"id":"sig_d5ari0041hnc7580001g","type":"escalate","source":"clerk","thread":"solve-00000001-1","confidence":1,"timestamp":1767225600000,"ttl":-1,"replyTo":"sig_d5ari0041hnc7580000g","metadata":{"round":1},"payload":{"reason":"ask the owner","context":""}}
}
