package swarm_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A teller's strategy lets nobody disturb a transaction, and a plugin would stop the teller whenever a
// customer speaks, with priority 1,000,000. In the transaction the plugin loses. Afterwards nobody
// above it objects, and it has its way.
func Example_routing() {
	r, err := tellersRouter()
	if err != nil {
		log.Fatal(err)
	}
	s, err := swarm.New(swarm.Options{Seed: 4, Agents: []*agents.Agent{
		{ID: "customer", Reactor: agents.Func(customerOf)},
		{ID: "teller", Reactor: agents.Func(books), Router: r},
		{ID: "auditor", Reactor: agents.On(audits)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for event, err := range s.Stream(context.Background(), signals.Task{Task: "move 100 from savings to checking"}) {
		if err != nil {
			log.Fatal(err)
		}
		showRouted(r, event)
	}
	// Output:
	// system    task:new
	//           -> teller: transition:transaction
	// customer  user:message
	//           -> teller: reject
	//
	// user:message in state "transaction": reject, by strategy route "do not disturb"
	//   won   strategy      do not disturb        0        reject      the first match
	//   lost  agent         greetings             100      continue    its predicate is false
	//   lost  plugin eager  the customer is king  1000000  force-stop  the strategy tier outranks the plugin tier, whatever the priority
	//   and 2 for other kinds
	//
	// teller    tool:result
	//           -> teller: transition:idle
	// teller    proposal
	// customer  vote
	// customer  user:message
	//           -> teller: force-stop
	//
	// user:message in state "idle": force-stop, by plugin route "the customer is king"
	//   lost  strategy      do not disturb        0        reject      is not for state "idle"
	//   lost  agent         greetings             100      continue    its predicate is false
	//   won   plugin eager  the customer is king  1000000  force-stop  the first match
	//   and 2 for other kinds
	//
	// auditor   vote
	// system    consensus:reached
	//
	// consensus: the transfer is booked (2 of 2 agree, 100 % of the weight; 70 % is needed; stopped: teller)
}

// tellersRouter is that of the teller: in a transaction its strategy has the last word.
func tellersRouter() (*routing.Router, error) {
	return routing.New(routing.Config{
		Strategy: routing.Strategy{
			States: []routing.State{"idle", "transaction"},
			Edges:  []routing.Edge{{From: "idle", To: "transaction"}, {From: "transaction", To: "idle"}},
			Routes: []routing.Route{
				{Name: "begin", Kind: signals.KindTask, Action: routing.Transition("transaction")},
				{Name: "booked", Kind: signals.KindToolResult, Action: routing.Transition("idle")},
				{Name: "do not disturb", Kind: routing.KindUserMessage, In: []routing.State{"transaction"}, Action: routing.Reject},
			},
		},
		Agent: []routing.Route{
			{Name: "greetings", Kind: routing.KindUserMessage, When: routing.When(isGreeting), Action: routing.Continue, Priority: 100},
		},
		Plugins: []routing.Plugin{{Name: "eager", Routes: []routing.Route{
			{Name: "the customer is king", Kind: routing.KindUserMessage, Action: routing.ForceStop, Priority: 1_000_000},
		}}},
	})
}

func isGreeting(s *signals.Signal[routing.UserMessage]) bool {
	return strings.HasPrefix(s.Payload.Text, "Hello")
}

// customerOf speaks while the teller works, and afterwards.
func customerOf(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	message := signals.New(signals.Header{Confidence: 1}, routing.UserMessage{Text: "Wait, are you there?"})
	if _, booked := t.Standing("transfer"); booked {
		return agents.Emit(agents.Agree("transfer", 0.9, "that is what I asked for"), message)
	}
	return agents.Emit(message)
}

// books books the transfer, and says what the ledger answered.
func books(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	if t.State != "transaction" {
		return agents.Emit()
	}
	return agents.Emit(
		signals.New(signals.Header{Confidence: 1}, signals.ToolResult{
			ToolName: "ledger", Result: "savings -100, checking +100", TriggeredBy: t.Agent,
		}),
		agents.Propose("transfer", "the transfer is booked", 0.95, "the ledger balances"),
	)
}

func audits(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
	return agents.Emit(agents.Agree(p.Payload.ProposalID, 0.9, "the books balance"))
}

// showRouted prints what is said and what the router decides, with its reasons where a
// customer is concerned.
func showRouted(r *routing.Router, event solves.Event) {
	switch e := event.(type) {
	case solves.Spoke:
		if e.Signal.Kind() == runlog.KindBegan {
			break
		}
		fmt.Printf("%-9s %s\n", e.Signal.Head().Source, e.Signal.Kind())
	case solves.Routed:
		fmt.Printf("          -> %s: %s\n", e.Agent, e.Decision.Action)
		if e.Signal.Kind() == routing.KindUserMessage {
			fmt.Printf("\n%s\n", r.Explain(e.Decision.From, e.Signal))
		}
	case solves.Stopped:
		fmt.Printf("\n%s: %s (%s)\n", e.Result.Stop, e.Result.Answer, e.Result.Detail)
	default: // of no interest here
	}
}
