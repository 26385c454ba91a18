package swarm

import (
	"context"
	"maps"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
)

// Spent counts what the agents of a solve spend.
type spent struct {
	mu sync.Mutex // protects by
	by map[string]agents.Spending
}

// counting returns a context in which the agent's spending is counted.
func (c *spent) counting(ctx context.Context, agent string) context.Context {
	return agents.WithSpending(ctx, func(s agents.Spending) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.by[agent] = c.by[agent].Plus(s)
	})
}

func (c *spent) soFar() map[string]agents.Spending {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.by) == 0 {
		return nil
	}
	return maps.Clone(c.by)
}
