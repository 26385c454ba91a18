//go:build !js

package open

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
)

func openFile(ctx context.Context, file string) (memory.Store, error) {
	store, err := opened(sqlite.Open(ctx, file))
	if err != nil {
		return nil, fmt.Errorf("memories: %s: %w", file, err)
	}
	return store, nil
}
