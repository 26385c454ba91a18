package swarm

import (
	"context"
	"maps"

	"github.com/swarmbus/swarmbus/agents"
)

// counting returns a context in which the agent's spending is counted.
func (r *solve) counting(ctx context.Context, agent string) context.Context {
	return agents.WithSpending(ctx, func(s agents.Spending) {
		r.spending.Lock()
		defer r.spending.Unlock()
		r.spent[agent] = r.spent[agent].Plus(s)
	})
}

func (r *solve) spentSoFar() map[string]agents.Spending {
	r.spending.Lock()
	defer r.spending.Unlock()
	if len(r.spent) == 0 {
		return nil
	}
	return maps.Clone(r.spent)
}
