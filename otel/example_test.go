package otel_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func Example() {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	observer, err := otel.New(&otel.Options{Tracers: provider})
	if err != nil {
		panic(err)
	}
	s, err := swarm.New(swarm.Options{
		Name: "team", Hook: observer, Seed: 1,
		Agents: []*agents.Agent{proposer("planner", "a"), voter("critic", "a"), voter("tester", "a")},
	})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	if _, err := s.Solve(context.Background(), signals.Task{Task: "which?"}); err != nil {
		panic(err)
	}
	fmt.Print(oteltest.Tree(oteltest.FromSDK(recorder.Ended()), append(routine, "swarmbus.support", "swarmbus.leaders")...))
	// Output:
	// invoke_workflow team INTERNAL Ok
	//   . swarmbus.choice=a swarmbus.conflicts=0 swarmbus.outcome=reached swarmbus.rounds=2 swarmbus.signals=5 swarmbus.stop_reason=consensus swarmbus.turns=3 swarmbus.voters=2
	//   ! swarmbus.stop swarmbus.stop_reason=consensus
	//   round INTERNAL
	//     . swarmbus.round=1
	//     evaluate_consensus confidence-weighted INTERNAL
	//       . swarmbus.outcome=pending swarmbus.round=1 swarmbus.voters=0
	//     invoke_agent planner INTERNAL
	//       . swarmbus.round=1 swarmbus.turn.heard=1 swarmbus.turn.said=1
	//       > swarmbus.link=heard to invoke_workflow team
	//   round INTERNAL
	//     . swarmbus.round=2
	//     evaluate_consensus confidence-weighted INTERNAL
	//       . swarmbus.outcome=pending swarmbus.round=2 swarmbus.voters=1
	//     evaluate_consensus confidence-weighted INTERNAL
	//       . swarmbus.choice=a swarmbus.outcome=reached swarmbus.round=2 swarmbus.voters=2
	//     invoke_agent critic INTERNAL
	//       . swarmbus.round=2 swarmbus.turn.heard=1 swarmbus.turn.said=1
	//       > swarmbus.link=heard to invoke_agent planner, round 1
	//     invoke_agent tester INTERNAL
	//       . swarmbus.round=2 swarmbus.turn.heard=1 swarmbus.turn.said=1
	//       > swarmbus.link=heard to invoke_agent planner, round 1
}
