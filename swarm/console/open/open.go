// Package open opens the teams of files for package desk, with the packages that speak to the
// providers of models, to servers of the Model Context Protocol and to databases.
//
//	team := desk.Team{Name: "review", File: file, Open: desk.Opener(file, open.With(open.Options{}))}
package open

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// Options of what is opened. The zero value of a field has the meaning given.
type Options struct {
	Dir      string                               // to which files and the directories of commands are relative; "": that of the program
	Stderr   io.Writer                            // gets what commands write to their standard error, and the notes of answers; nil: they are only kept
	Only     []string                             // models to make; nil: all
	Retrying func(err error, pause time.Duration) // see [limits.Options]; nil: none
	Embedded func(memory.Progress)                // is called while facts without vectors get them; nil: nothing is
}

// With returns openers. Keys and tokens are read from the environment.
func With(o Options) desk.Openers {
	var noted func(models.ID, []string)
	if o.Stderr != nil {
		var one sync.Mutex // agents ask their models side by side
		noted = func(id models.ID, notes []string) {
			one.Lock()
			defer one.Unlock()
			_, _ = fmt.Fprintf(o.Stderr, "%s: %s\n", id, text.Printable(strings.Join(notes, "; ")))
		}
	}
	return desk.Openers{
		Models: func(t *teams.Team) (map[string]models.Model, *limits.Budget, error) {
			return providers.Models(t, providers.Options{Only: o.Only, Retrying: o.Retrying, Noted: noted})
		},
		Servers: o.Servers,
		Memory:  o.Memory,
	}
}
