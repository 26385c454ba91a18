package seat

import (
	"context"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// Returned is what tools have returned to the agents of a solve. The zero value is ready.
type Returned struct {
	mu  sync.Mutex // protects all
	all map[signals.ToolResult]bool
}

// Watching returns a context in which what tools return is known.
func (r *Returned) Watching(ctx context.Context) context.Context {
	return agents.WithReturned(ctx, func(p signals.ToolResult) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.all == nil {
			r.all = map[signals.ToolResult]bool{}
		}
		r.all[p] = true
	})
}

// Witnessed returns what an agent says with the mark of a result that a tool returned to it, and without it otherwise.
func (r *Returned) Witnessed(said signals.Any) signals.Any {
	s, ok := signals.As[signals.ToolResult](said)
	if !ok {
		return said
	}
	p := s.Payload
	p.Witnessed = false
	r.mu.Lock()
	p.Witnessed = r.all[p]
	r.mu.Unlock()
	return signals.New(s.Header, p)
}
