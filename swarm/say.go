package swarm

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Say gives the agents of a solve that runs what a person says, as a [routing.UserMessage]. Their
// routes decide about it at its position in the log, and what they do not withhold is new in the
// agents' next turns, whatever they listen to. The error is a [*signals.FieldError], or a wrapped
// [runlog.ErrLog] if no agent would hear it.
func (s *Swarm) Say(ctx context.Context, thread string, m runlog.Message) error {
	if !s.names.Runs(thread) {
		return fmt.Errorf("%w: no solve of thread %q runs", runlog.ErrLog, thread)
	}
	log := slices.Collect(s.bus.History(bus.Filter{Threads: []string{thread}}))
	said, err := s.team().Message(runlog.StageOf(log), thread, m)
	if err != nil {
		return err
	}
	h := said.Head()
	h.Time, h.Trace = s.clock.Now(), hooks.TraceOf(ctx)
	_, err = runlog.Publish(ctx, s.bus, signals.With(said, h))
	return err
}
