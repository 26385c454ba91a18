package otel_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/remote"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// elsewhere lets an agent take its turns with another context than that of the swarm, as another
// process does.
func (r *trace) elsewhere(a *agents.Agent) *agents.Agent {
	far := *a
	a.Reactor = remote.Reactor(func(_ context.Context, _ string, request []byte) ([]byte, error) {
		return remote.Take(hooks.With(context.Background(), r), &far, nil, request), nil
	}, nil)
	return a
}

func TestTurnInAnotherProcessIsInsideOfThatOfTheSwarm(t *testing.T) {
	r := newTrace(t, otel.Options{})
	asks := voter("asks", "a")
	votes := asks.Reactor
	asks.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		_, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpModel, Target: "large"})
		end(nil, nil)
		return votes.React(ctx, turn)
	})
	panics := voter("panics", "a")
	panics.Reactor = agents.Each(func(context.Context, signals.Any) seq { panic("secret") })
	r.solve(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a"), r.elsewhere(asks), r.elsewhere(panics)}})
	golden(t, "elsewhere.txt", oteltest.Tree(r.spans(t), routine...))
}
