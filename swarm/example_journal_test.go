package swarm_test

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// keeping returns a swarm of one who proposes and two who agree, on a journal.
func keeping(j journal.Store) *swarm.Swarm {
	agree := func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Agree(p.Payload.ProposalID, 1, "fine"))
	}
	propose := func(_ context.Context, task *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose("a", "do "+task.Payload.Task, 1, ""))
	}
	s, err := swarm.New(swarm.Options{
		Agents: []*agents.Agent{
			{ID: "planner", Reactor: agents.On(propose)}, {ID: "ada", Reactor: agents.On(agree)}, {ID: "bob", Reactor: agents.On(agree)},
		},
		Journal: j, Seed: 1, Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Second),
	})
	if err != nil {
		panic(err)
	}
	return s
}

func mustSolve(s *swarm.Swarm, task string) {
	if _, err := s.Solve(context.Background(), signals.Task{Task: task}); err != nil {
		panic(err)
	}
}

// A late watcher sees a solve from its beginning; here it is over already.
func ExampleWatch() {
	var j journal.Memory // or a journal.View, in another process
	s := keeping(&j)
	defer s.Close()
	mustSolve(s, "it")
	for event, err := range solves.Watch(context.Background(), &j, "solve-00000001-1") {
		if err != nil {
			panic(err)
		}
		switch e := event.(type) {
		case solves.RoundStarted:
			fmt.Println("round", e.Round)
		case solves.Spoke:
			fmt.Println(" ", e.Signal.Head().Source, e.Signal.Kind())
		case solves.Stopped:
			fmt.Printf("%v: %s (%s)\n", e.Result.Stop, e.Result.Answer, e.Result.Detail)
		}
	}
	// Output:
	//   system task:new
	//   system decision:terms
	// round 1
	//   system round:began
	//   planner proposal
	// round 2
	//   system round:began
	//   ada vote
	//   bob vote
	//   system decision:made
	//   system consensus:reached
	// consensus: do it (2 of 2 agree, 100 % of the weight; 70 % is needed)
}

// A journal says how each solve in it ended.
func ExampleResults() {
	var j journal.Memory
	s := keeping(&j)
	defer s.Close()
	mustSolve(s, "this")
	mustSolve(s, "that")
	past, err := solves.List(&j)
	if err != nil {
		panic(err)
	}
	for _, r := range past {
		fmt.Println(r.Thread, r.Stop, r.Answer, len(r.Log), "signals")
	}
	// Output:
	// solve-00000001-1 consensus do this 9 signals
	// solve-00000001-2 consensus do that 9 signals
}

// A journal is kept small, and a swarm on it knows what it learned of the solves
// that are gone.
func ExampleRetain() {
	var j journal.Memory
	s := keeping(&j)
	for n := range 5 {
		mustSolve(s, fmt.Sprint("step ", n))
	}
	if err := s.Shutdown(context.Background()); err != nil {
		panic(err)
	}
	dropped, err := solves.Retain(&j, journal.Retention{Bytes: 4 << 10})
	if err != nil {
		panic(err)
	}
	again := keeping(&j)
	defer again.Close()
	past, err := again.Results()
	if err != nil {
		panic(err)
	}
	fmt.Println(dropped, "records dropped,", len(past), "solves left,", again.Ledger().Len(), "decisions known")
	// Output:
	// 36 records dropped, 1 solves left, 5 decisions known
}
