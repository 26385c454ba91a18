package open

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/postgres"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// Memory opens the memory of a team, and gives vectors to the facts that have none in its model,
// as after a change of the model. They are of the model that the team names; nil: [memory.Hashed]. end closes the store; it must be called, also after an
// error. A team without a memory has a nil pool.
func (o Options) Memory(ctx context.Context, t *teams.Team, vectors models.Embedder) (pool *memory.Pool, end func() error, err error) {
	end = func() error { return nil }
	if t.Memory == nil {
		return nil, end, nil
	}
	if t.Memory.Embeddings != "" && vectors == nil {
		return nil, end, fmt.Errorf("memories: the embedder is missing, which is %s", t.Memory.Embeddings)
	}
	store, err := Store(ctx, t.Memory, o.Dir)
	if err != nil {
		return nil, end, err
	}
	pool, err = memory.New(memory.Options{Store: store, Embedder: vectors, Bytes: t.Whole().Memory.Bytes})
	if err != nil {
		return nil, store.Close, err
	}
	for p, err := range pool.Embed(ctx) {
		if err != nil {
			return nil, store.Close, err
		}
		if o.Embedded != nil {
			o.Embedded(p)
		}
	}
	return pool, store.Close, nil
}

// Store opens the store of a memory, whose file is relative to a directory. The caller must
// close it.
func Store(ctx context.Context, m *teams.Memory, dir string) (memory.Store, error) {
	if v := m.Postgres(); v != "" {
		url := strings.TrimSpace(os.Getenv(string(v)))
		if url == "" {
			return nil, fmt.Errorf("memories: the variable %s is not set, which names a Postgres database; a file of that name is ./%[1]s", v)
		}
		return opened(postgres.Open(ctx, url, postgres.Options{}))
	}
	file, err := m.Store.Expand()
	switch {
	case err != nil:
		return nil, err
	case strings.Contains(file, "://"):
		return nil, errors.New("memories: the store is a URL: name the environment variable that has it")
	case !filepath.IsAbs(file):
		file = filepath.Join(dir, file)
	}
	return openFile(ctx, file)
}

// opened returns no store, instead of an interface that has a nil one, with an error.
func opened[S memory.Store](s S, err error) (memory.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
