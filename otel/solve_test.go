package otel_test

import (
	"context"
	"errors"
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
