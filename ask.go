package swarmbus

import (
	"context"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// Ask has three agents decide on a question. They ask models that can be reached with the keys in
// the environment, or a local Ollama: see [providers.Choose], which also says what that costs at
// most. The result has the answer, unless the agents did not choose one, and says why they stopped.
//
// A program that wants other agents, models or bounds begins with packages swarm and teams.
func Ask(ctx context.Context, question string) (*solves.Result, error) {
	s, err := team(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Solve(ctx, signals.Task{Task: question})
}

// AskAs is [Ask] for an answer of type T: the agents decide on values that conform to its JSON schema.
func AskAs[T any](ctx context.Context, question string) (*swarm.Typed[T], error) {
	s, err := team(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return swarm.Solve[T](ctx, s, signals.Task{Task: question})
}

// team returns a swarm of the keys that are set.
func team(ctx context.Context) (*swarm.Swarm, error) {
	team, err := providers.Choose(ctx, 3)
	if err != nil {
		return nil, err
	}
	all, _, err := providers.Models(team, providers.Options{})
	if err != nil {
		return nil, err
	}
	o, err := team.Build(teams.Parts{Models: func(name string) models.Model { return all[name] }})
	if err != nil {
		return nil, err
	}
	return swarm.New(o)
}
