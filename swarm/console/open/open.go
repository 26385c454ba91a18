// Package open opens the teams of files for package desk, with the packages that speak to the
// providers of models, to servers of the Model Context Protocol and to databases.
//
//	team := desk.Team{Name: "review", File: file, Open: desk.Opener(file, open.With(open.Options{}))}
package open

import (
	"context"
	"io"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/swarm/console/memories"
	"github.com/swarmbus/swarmbus/swarm/console/servers"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// Options of [With]. The zero value of a field has the meaning given.
type Options struct {
	Dir      string                               // to which files and the directories of commands are relative; "": that of the program
	Stderr   io.Writer                            // gets what commands write to their standard error; nil: it is only kept
	Only     []string                             // models to make; nil: all
	Retrying func(err error, pause time.Duration) // see [limits.Options]; nil: none
	Embedded func(memory.Progress)                // see [memories.Options]; nil: none
}

// With returns openers. Keys and tokens are read from the environment.
func With(o Options) desk.Openers {
	return desk.Openers{
		Models: func(t *teams.Team) (map[string]models.Model, *limits.Budget, error) {
			return providers.Models(t, providers.Options{Only: o.Only, Retrying: o.Retrying})
		},
		Servers: func(ctx context.Context, t *teams.Team) ([]tools.Source, func() error, error) {
			return servers.Open(ctx, t, servers.Options{Dir: o.Dir, Stderr: o.Stderr})
		},
		Memory: func(ctx context.Context, t *teams.Team, vectors models.Embedder) (*memory.Pool, func() error, error) {
			return memories.Open(ctx, t, memories.Options{Dir: o.Dir, Embedder: vectors, Embedded: o.Embedded})
		},
	}
}
