package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/memories"
)

// remember gives the parts of a team its memory, if it has one, and the tool that recalls. What
// is recalled is recorded where calls of tools are, or comes from the cassette. forget closes
// the memory; it must be called, also after an error.
func (f *solveFlags) remember(cmd *cobra.Command, parts *teams.Parts) (forget func() error, err error) {
	forget = func() error { return nil }
	about := f.terms.Team.Memory
	switch {
	case about == nil:
		return forget, nil
	case f.played != nil:
		parts.Memory = cassette.Remembers(nil, f.calls)
		parts.Tools = append(parts.Tools, new(memory.Pool).Tool()) // its calls are on the cassette
		return forget, nil
	case f.told != nil:
		parts.Memory = cassette.Remembers(nil, f.told)
		parts.Tools = append(parts.Tools, notRecalled())
		return forget, nil
	}
	o := memories.Options{Dir: f.terms.Dir}
	if about.Embeddings != "" {
		o.Embedded = func(p memory.Progress) {
			fmt.Fprintf(cmd.ErrOrStderr(), "memory: made vectors of %s, %d left\n", text.Plural(p.Done, "fact"), p.Left)
		}
		o.Embedder = models.EmbedderOf(parts.Models(about.Embeddings))
	}
	pool, forget, err := memories.Open(cmd.Context(), f.terms.Team, o)
	if err != nil {
		return forget, err
	}
	parts.Memory, parts.Tools = pool, append(parts.Tools, pool.Tool())
	if f.calls != nil {
		parts.Memory = cassette.Remembers(pool, f.calls)
	}
	return forget, nil
}

// notRecalled returns the tool that recalls, for a replay. Its calls are on a cassette that is
// replayed alone; with a team of a file, in which tools are called again, it fails.
func notRecalled() tools.Tool {
	t := new(memory.Pool).Tool()
	t.Call = func(context.Context, json.RawMessage) (tools.Result, error) {
		return tools.Result{}, errors.New("a replay has no memory: replay the cassette without --team")
	}
	return t
}
