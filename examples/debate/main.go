// Command debate shows how a swarm settles a conflict that its votes leave open: two
// agents argue for their proposals, and who is convinced by what a tool has measured votes again.
// It decides three times, once by each way of settling conflicts.
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
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	for _, way := range []struct {
		name   string
		policy settle.Policy
	}{
		{"debate", settle.ByDebate}, {"majority", settle.ByMajority}, {"escalate", settle.ByEscalation},
	} {
		fmt.Fprintf(out, "%s\n", way.name)
		if err := decide(ctx, out, way.policy); err != nil {
			return err
		}
	}
	return nil
}

func decide(ctx context.Context, out io.Writer, policy settle.Policy) error {
	s, err := swarm.New(swarm.Options{Agents: team(), Conflicts: policy, Seed: 1})
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := s.Solve(ctx, signals.Task{Task: "Retry failed calls?"})
	if err != nil {
		return err
	}
	if r.Stop == runlog.StopEscalated {
		fmt.Fprintf(out, "  asked      %s\n", r.Question.Reason)
		answer := signals.With(agents.Agree("retry", 1, "we have always done so"), signals.Header{Source: "lead", Confidence: 1})
		if r, err = s.Resume(ctx, r.Log, answer); err != nil {
			return err
		}
	}
	show(out, r)
	return s.Shutdown(ctx)
}

// show prints the arguments, how the conflict was settled and what was decided.
func show(out io.Writer, r *solves.Result) {
	for _, s := range r.Log {
		switch p := s.Body().(type) {
		case signals.Challenge:
			fmt.Fprintf(out, "  %-10s %s\n", s.Head().Source, p.CounterArgument)
		case conflict.Resolution:
			fmt.Fprintf(out, "  settled    by %s: %s\n", p.How, p.Reason)
		}
	}
	fmt.Fprintf(out, "  %s  %q: %s\n", r.Stop, r.Answer, r.Detail)
}

type said = iter.Seq2[signals.Any, error]

// team is two for retrying and two against it. What one of these has measured would
// convince an operator, who has not been told.
func team() []*agents.Agent {
	return []*agents.Agent{
		{ID: "planner", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) said {
			return first(t, agents.Propose("retry", "retry three times", 0.8, "most failures pass"), agents.Agree("retry", 0.8, "users do not wait"))
		})},
		{ID: "measurer", Reactor: measurer{}},
		{ID: "operator", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) said {
			measured := hears(t, "four times")
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
		{ID: "tester", Reactor: agents.Func(func(_ context.Context, t *agents.Turn) said {
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

func (measurer) React(_ context.Context, t *agents.Turn) said {
	return first(t, agents.Propose("fail", "fail at once", 0.8, "it is honest"), agents.Agree("fail", 0.8, "it is honest"))
}

// Argue implements [agents.Debater].
func (measurer) Argue(ctx context.Context, t *agents.Turn) said {
	if t.Debate.Answers || t.Debate.Round > 1 {
		return agents.Emit(agents.Pass("measured once"))
	}
	return agents.Emit(
		agents.Returned(ctx, signals.ToolResult{ToolName: "load test", Result: "four times the calls", TriggeredBy: t.Agent}),
		signals.New(signals.Header{Confidence: 0.9}, signals.Challenge{
			TargetSignalID: t.Debate.Against.Proposal.ID, CounterArgument: "a server that fails gets four times the calls",
		}))
}

// first emits signals in the first round.
func first(t *agents.Turn, all ...signals.Any) said {
	if t.Round > 1 {
		return agents.Emit()
	}
	return agents.Emit(all...)
}

// hears returns the challenge that the agent hears and that says that; zero if there is none.
func hears(t *agents.Turn, what string) (id signals.ID) {
	for _, s := range t.New {
		c, ok := signals.As[signals.Challenge](s)
		if ok && strings.Contains(c.Payload.CounterArgument, what) {
			id = c.ID
		}
	}
	return id
}
