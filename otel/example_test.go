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
	fmt.Print(oteltest.Tree(oteltest.FromSDK(recorder.Ended()), append(routine,
		"swarmbus.leaders", "swarmbus.round", "swarmbus.rounds", "swarmbus.signals", "swarmbus.conflicts", "swarmbus.voters", "swarmbus.missing",
		"swarmbus.decided", "swarmbus.turns.taken", "swarmbus.turns.failed", "swarmbus.turns.dropped", "swarmbus.signals_refused")...))
	// Output:
	// invoke_workflow team INTERNAL
	//   . swarmbus.choice=a swarmbus.claims.against=0 swarmbus.claims.for=0 swarmbus.claims.objections=0 swarmbus.credit=[critic +0.500 tester +0.500] swarmbus.outcome=reached swarmbus.reason=reached "a": 2 of 2 agree, all of the weight; 70 % is needed; 2 voted, the quorum is 2; 91 % that it is right, by the votes alone swarmbus.stop_reason=consensus swarmbus.support=1 swarmbus.talk.after=1 swarmbus.turns.late=0 swarmbus.turns.retried=0
	//   round 1 INTERNAL
	//     evaluate_consensus confidence-weighted INTERNAL
	//       . swarmbus.outcome=pending swarmbus.reason=open: no one has voted; the quorum is 2 swarmbus.shortfall=0.7 swarmbus.support=0
	//     invoke_agent planner INTERNAL
	//       . swarmbus.turn.heard=[#1 task:new by system] swarmbus.turn.said=1
	//       > swarmbus.link=heard to invoke_workflow team
	//   round 2 INTERNAL
	//     evaluate_consensus confidence-weighted INTERNAL
	//       . swarmbus.outcome=pending swarmbus.reason=open: 1 has voted; the quorum is 2 swarmbus.support=1
	//     evaluate_consensus confidence-weighted INTERNAL
	//       . swarmbus.choice=a swarmbus.outcome=reached swarmbus.reason=reached "a": 2 of 2 agree, all of the weight; 70 % is needed; 2 voted, the quorum is 2; 91 % that it is right, by the votes alone swarmbus.support=1
	//     invoke_agent critic INTERNAL
	//       . swarmbus.turn.heard=[#3 proposal a by planner] swarmbus.turn.said=1
	//       > swarmbus.link=heard to invoke_agent planner, round 1
	//     invoke_agent tester INTERNAL
	//       . swarmbus.turn.heard=[#3 proposal a by planner] swarmbus.turn.said=1
	//       > swarmbus.link=heard to invoke_agent planner, round 1
}
