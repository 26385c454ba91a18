package routing_test

import (
	"fmt"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// A strategy that is not to be disturbed in a transaction, and a plugin that
// tries.
func ExampleMachine_Route() {
	router, err := routing.New(routing.Config{
		Strategy: routing.Strategy{
			States: []routing.State{"idle", "transaction"},
			Routes: []routing.Route{
				{Kind: signals.KindTask, Action: routing.Transition("transaction")},
				{Name: "do not disturb", Kind: routing.KindUserMessage, In: []routing.State{"transaction"}, Action: routing.Reject},
			},
		},
		Plugins: []routing.Plugin{{Name: "eager", Routes: []routing.Route{
			{Name: "jump in", Kind: routing.KindUserMessage, Action: routing.ForceStop, Priority: 1_000_000},
		}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	machine := router.Machine()
	machine.Route(signals.New(signals.Header{}, signals.Task{Task: "move 100 from a to b"}))
	message := signals.New(signals.Header{}, routing.UserMessage{Text: "are you there?"})
	fmt.Println(machine.State(), machine.Route(message).Action)
	fmt.Print(machine.Explain(message))
	// Output:
	// transaction reject
	// user:message in state "transaction": reject, by strategy route "do not disturb"
	//   won   strategy      do not disturb  0        reject      the first match
	//   lost  plugin eager  jump in         1000000  force-stop  the strategy tier outranks the plugin tier, whatever the priority
	//   and 1 for other kinds
}
