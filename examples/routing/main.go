// Command routing shows three tiers of authority over one agent: a teller whose
// strategy lets nobody disturb a transaction, and a plugin that would stop the
// teller whenever a customer speaks, with priority 1,000,000. In the transaction
// the plugin loses. Afterwards nobody above it objects, and it has its way.
package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// teller's router: in a transaction its strategy has the last word.
func router() (*routing.Router, error) {
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

func run(out io.Writer) error {
	r, err := router()
	if err != nil {
		return err
	}
	s, err := swarm.New(swarm.Options{Seed: 4, Agents: []*agents.Agent{
		{ID: "customer", Reactor: agents.Func(customer)},
		{ID: "teller", Reactor: agents.Func(teller), Router: r},
		{ID: "auditor", Reactor: agents.On(audit)},
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	for event, err := range s.Stream(context.Background(), signals.Task{Task: "move 100 from savings to checking"}) {
		if err != nil {
			return err
		}
		show(out, r, event)
	}
	return nil
}

// customer speaks while the teller works, and afterwards.
func customer(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	message := signals.New(signals.Header{Confidence: 1}, routing.UserMessage{Text: "Wait, are you there?"})
	if _, booked := t.Standing("transfer"); booked {
		return agents.Emit(agents.Agree("transfer", 0.9, "that is what I asked for"), message)
	}
	return agents.Emit(message)
}

// teller books the transfer, and says what the ledger answered.
func teller(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
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

func audit(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
	return agents.Emit(agents.Agree(p.Payload.ProposalID, 0.9, "the books balance"))
}

// show prints what is said and what the router decides, with its reasons where a
// customer is concerned.
func show(out io.Writer, r *routing.Router, event solves.Event) {
	switch e := event.(type) {
	case solves.Spoke:
		if e.Signal.Kind() == runlog.KindBegan {
			break
		}
		fmt.Fprintf(out, "%-9s %s\n", e.Signal.Head().Source, e.Signal.Kind())
	case solves.Routed:
		fmt.Fprintf(out, "          -> %s: %s\n", e.Agent, e.Decision.Action)
		if e.Signal.Kind() == routing.KindUserMessage {
			fmt.Fprintf(out, "\n%s\n", r.Explain(e.Decision.From, e.Signal))
		}
	case solves.Stopped:
		fmt.Fprintf(out, "\n%s: %s (%s)\n", e.Result.Stop, e.Result.Answer, e.Result.Detail)
	default: // of no interest here
	}
}
