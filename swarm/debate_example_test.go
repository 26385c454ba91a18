package swarm_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Two agents argue for their proposals, and who is convinced by what a tool has measured votes again:
// a conflict that the votes leave open is settled three times, by each way of settling conflicts.
func Example_debate() {
	for _, policy := range []settle.Policy{settle.ByDebate, settle.ByMajority, settle.ByEscalation} {
		fmt.Println(policy)
		r := argued(policy)
		for _, s := range r.Log {
			switch p := s.Body().(type) {
			case signals.Challenge:
				fmt.Printf("  %-10s %s\n", s.Head().Source, p.CounterArgument)
			case conflict.Resolution:
				fmt.Printf("  settled    by %s: %s\n", p.How, p.Reason)
			}
		}
		fmt.Printf("  %s  %q: %s\n", r.Stop, r.Answer, r.Detail)
	}
	// Output:
	// debate
	//   planner    most failures pass
	//   measurer   a server that fails gets four times the calls
	//   planner    users do not wait
	//   settled    by debate: one side is certain enough after 1 round of debate: of the two, fail is right with probability 0.82
	//   consensus  "fail at once": 3 of 4 agree with "fail", 75 % of the weight; 70 % is needed
	// majority
	//   planner    most failures pass
	//   measurer   a server that fails gets four times the calls
	//   planner    users do not wait
	//   settled    by majority: 1 for retry, 3 for fail
	//   consensus  "fail at once": 3 of 4 agree with "fail", 75 % of the weight; 70 % is needed
	// escalate
	//   asked      proposals retry and fail cannot both stand
	//   settled    by escalate: lead was asked
	//   settled  "retry three times": settled by a person, with a probability of 65.1 %: 3 of 5 agree with "retry", 62.5 % of the weight; 70 % is needed
}

// argued is the result of a team with that policy. A person who is asked is for retrying.
func argued(policy settle.Policy) *solves.Result {
	ctx := context.Background()
	s, err := swarm.New(swarm.Options{Agents: debaters(), Conflicts: policy, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(ctx, signals.Task{Task: "Retry failed calls?"})
	if err == nil && r.Stop == runlog.StopEscalated {
		fmt.Printf("  asked      %s\n", r.Question.Reason)
		answer := signals.With(agents.Agree("retry", 1, "we have always done so"), signals.Header{Source: "lead", Confidence: 1})
		r, err = s.Resume(ctx, r.Log, answer)
	}
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// debaters are two for retrying and two against it. What one of these has measured would
// convince an operator, who has not been told.
func debaters() []*agents.Agent {
	return []*agents.Agent{
		{ID: "planner", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			return atFirst(t, agents.Propose("retry", "retry three times", 0.8, "most failures pass"), agents.Agree("retry", 0.8, "users do not wait"))
		})},
		{ID: "measurer", Reactor: measurer{}},
		{ID: "operator", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			measured := hearsThat(t, "four times")
			switch {
			case !measured.IsZero():
				because := signals.Header{ReplyTo: measured, Confidence: 0.9} // without it, the votes would not count
				return agents.Emit(
					signals.With(agents.Disagree("retry", 0.9, "that load took us down in spring"), because),
					signals.With(agents.Agree("fail", 0.9, "it spares the server"), because))
			case t.Round == 2:
				return agents.Emit(agents.Agree("retry", 0.7, "it hides blips"))
			}
			return agents.Emit()
		})},
		{ID: "tester", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
			if t.Round == 2 {
				return agents.Emit(agents.Agree("fail", 0.7, "it is easier to test"))
			}
			return agents.Emit()
		})},
	}
}

// A measurer argues with what it measures for the debate. The planner, which is no
// debater, argues with the reasons that it has given.
type measurer struct{}

func (measurer) React(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	return atFirst(t, agents.Propose("fail", "fail at once", 0.8, "it is honest"), agents.Agree("fail", 0.8, "it is honest"))
}

// Argue implements [agents.Debater].
func (measurer) Argue(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	if t.Debate.Answers || t.Debate.Round > 1 {
		return agents.Emit(agents.Pass("measured once"))
	}
	return agents.Emit(
		agents.Returned(ctx, signals.ToolResult{ToolName: "load test", Result: "four times the calls", TriggeredBy: t.Agent}),
		signals.New(signals.Header{Confidence: 0.9}, signals.Challenge{
			TargetSignalID: t.Debate.Against.Proposal.ID, CounterArgument: "a server that fails gets four times the calls",
		}))
}

// atFirst emits signals in the first round.
func atFirst(t *agents.Turn, all ...signals.Any) iter.Seq2[signals.Any, error] {
	if t.Round > 1 {
		return agents.Emit()
	}
	return agents.Emit(all...)
}

// hearsThat returns the challenge that the agent hears and that says that; zero if there is none.
func hearsThat(t *agents.Turn, what string) (id signals.ID) {
	for _, s := range t.New {
		c, ok := signals.As[signals.Challenge](s)
		if ok && strings.Contains(c.Payload.CounterArgument, what) {
			id = c.ID
		}
	}
	return id
}
