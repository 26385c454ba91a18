package otel_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func TestSolveIsOneTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	r.solve(t, swarm.Options{Name: "team", Agents: []*agents.Agent{proposer("p", "a"), voter("v", "a"), voter("w", "a")}})
	golden(t, "consensus.txt", oteltest.Tree(r.spans(t)))
}

func TestConflictEscalationAndDeadLettersAreEventsAndStatus(t *testing.T) {
	r := newTrace(t, otel.Options{})
	r.solve(t, swarm.Options{Name: "rivals", Conflicts: swarm.EscalateConflicts, Agents: []*agents.Agent{
		proposer("p", "a"), proposer("q", "b"), proposer("liar", "a2"), voter("v", "a"), voter("w", "b"),
	}})
	golden(t, "escalated.txt", oteltest.Tree(r.spans(t), routine...))
}

func TestTurnsThatFailAreErrorsBySortAlone(t *testing.T) {
	r := newTrace(t, otel.Options{})
	fails := agent("fails", signals.KindTask)
	fails.Reactor = agents.Each(func(context.Context, signals.Any) seq { return agents.Fail(errors.New("the prompt was: secret")) })
	panics := agent("panics", signals.KindTask)
	panics.Reactor = agents.Each(func(context.Context, signals.Any) seq { panic("secret") })
	full := agent("talks", signals.KindTask)
	full.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		d := signals.New(signals.Header{}, signals.Discovery{Finding: "x"})
		return agents.Say(d, d, d)
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{fails, panics, full}, TurnSignals: 1, Rounds: 1})
	golden(t, "failed.txt", oteltest.Tree(r.spans(t), routine...))
}

// TestCallsOfATurnAreInsideOfIt has an agent that asks a model, which fails
// the second time, and calls a tool.
func TestCallsOfATurnAreInsideOfIt(t *testing.T) {
	r := newTrace(t, otel.Options{})
	asks := agent("asks", signals.KindTask)
	asks.Reactor = agents.Each(func(ctx context.Context, _ signals.Any) seq {
		provider := []slog.Attr{slog.String(agents.AttrProvider, "acme"), slog.Int("acme.attempt", 1)}
		_, end := agents.Start(ctx, agents.Op{Name: agents.OpModel, Target: "large", Attributes: provider})
		end([]slog.Attr{
			slog.String(agents.AttrModel, "large-2"), slog.Int(agents.AttrInputTokens, 17), slog.Int(agents.AttrOutputTokens, 4),
			slog.Float64(agents.AttrCost, 0.25), slog.String(agents.AttrFinish, "stop"),
		}, nil)
		_, end = agents.Start(ctx, agents.Op{Name: agents.OpModel, Target: "large", Attributes: provider})
		end([]slog.Attr{slog.Int(agents.AttrInputTokens, 9)}, context.DeadlineExceeded)
		_, end = agents.Start(ctx, agents.Op{Name: agents.OpTool, Target: "grep"})
		end(nil, nil)
		return agents.Say()
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{asks}})
	golden(t, "calls.txt", oteltest.Tree(r.spans(t), append(routine[:len(routine):len(routine)], "swarmbus.round")...))
}

func TestPanicHasItsStack(t *testing.T) {
	r := newTrace(t, otel.Options{})
	panics := agent("panics", signals.KindTask)
	panics.Reactor = agents.Each(func(context.Context, signals.Any) seq { panic("secret") })
	r.solve(t, swarm.Options{Agents: []*agents.Agent{panics}})
	for _, s := range r.spans(t) {
		for _, e := range s.Events {
			if e.Name != "exception" {
				continue
			}
			if stack := e.Attributes["exception.stacktrace"]; !strings.Contains(stack, "TestPanicHasItsStack") || strings.Contains(stack, "secret") {
				t.Errorf("got %s, want where it panicked and not with what", stack)
			}
			return
		}
	}
	t.Error("no exception was recorded")
}
