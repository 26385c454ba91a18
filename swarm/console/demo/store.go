//go:build !js

package demo

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
)

// opened opens a memory in a file that is removed when it ends.
func opened(ctx context.Context) (pool *memory.Pool, end func() error, err error) {
	dir, err := os.MkdirTemp("", "swarmbus-demo-memory-")
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, "facts.db"))
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	end = func() error { return errors.Join(store.Close(), os.RemoveAll(dir)) }
	if pool, err = memory.New(memory.Options{Store: store}); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return pool, end, nil
}
