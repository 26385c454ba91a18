package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Memory knows what earlier solves found out: a memory.Pool, for instance. It is called
// by the goroutines of solves, and has to return when ctx ends.
type Memory interface {
	// Brief returns what a solve of a task begins with.
	Brief(ctx context.Context, task signals.Task) ([]signals.Any, error)
	// Keep takes the log of a solve whenever its last signal is a discovery or a shared
	// fact, with the group of that signal's source. It may be called again for a signal.
	Keep(ctx context.Context, log []signals.Any, group string) error
}

// brief publishes what the solve begins with, but for what its log has already.
func (r *solve) brief(ctx context.Context) {
	if r.opts.Memory == nil || r.over() {
		return
	}
	known, err := r.opts.Memory.Brief(ctx, r.result.Task)
	if err != nil {
		r.fail("the memory could not be recalled", err)
		return
	}
	for _, fact := range known {
		if !r.over() && !r.knows(fact) {
			r.announce(ctx, fact)
		}
	}
}

// knows reports whether the system has said the content of a fact in the solve.
func (r *solve) knows(fact signals.Any) bool {
	m, ok := signals.As[signals.Memory](fact)
	return ok && slices.ContainsFunc(r.thread.Log, func(s signals.Any) bool {
		said, ok := signals.As[signals.Memory](s)
		return ok && said.Source == bus.System && said.Payload.Content == m.Payload.Content
	})
}

// remember gives the newest signal of a log to the memory, if it states a fact.
func (r *solve) remember(ctx context.Context, log []signals.Any) {
	last := log[len(log)-1]
	if k := last.Kind(); r.opts.Memory == nil || k != signals.KindDiscovery && k != signals.KindMemory {
		return
	}
	group := ""
	if of := r.seats.Of(last.Head().Source); of != nil {
		group = of.Agent.Group
	}
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	if err := r.opts.Memory.Keep(inTime, log, group); err != nil {
		r.fail("the memory did not accept a fact", err)
	}
}
