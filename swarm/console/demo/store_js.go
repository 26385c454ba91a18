package demo

import (
	"context"

	"github.com/swarmbus/swarmbus/agents/memory"
)

// opened returns no memory: SQLite does not run on js.
func opened(context.Context) (pool *memory.Pool, end func() error, err error) {
	return nil, nil, nil
}
