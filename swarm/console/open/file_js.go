package open

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/memory"
)

func openFile(_ context.Context, file string) (memory.Store, error) {
	return nil, fmt.Errorf("memories: %s: SQLite does not run on js: name the variable of a Postgres database", file)
}
