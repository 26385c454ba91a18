package seat

import (
	"context"
	"maps"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
)

// A Spent counts what the agents of a solve spend. The zero value is ready.
type Spent struct {
	mu sync.Mutex // protects by
	by map[string]agents.Cost
}

// Counting returns a context in which the agent's spending is counted.
func (c *Spent) Counting(ctx context.Context, agent string) context.Context {
	return agents.WithSpending(ctx, func(s agents.Cost) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.by == nil {
			c.by = map[string]agents.Cost{}
		}
		c.by[agent] = c.by[agent].Plus(s)
	})
}

// SoFar returns what was spent, by agent; nil if nothing was.
func (c *Spent) SoFar() map[string]agents.Cost {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.by) == 0 {
		return nil
	}
	return maps.Clone(c.by)
}
