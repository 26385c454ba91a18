package swarm

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// open opens a solve in a reserved thread.
func (s *Swarm) open(result *solves.Result) (*solve, error) {
	r := s.newSolve(result)
	if err := r.sit(); err != nil {
		r.leave(context.Background())
		return nil, fmt.Errorf("swarm: %w", err)
	}
	return r, nil
}

// sit opens the voting and gives every agent its handle and its inbox. Where an agent has
// a router, signals from outside wake the solve while it waits for turns, so that they are
// routed at once.
func (r *solve) sit() (err error) {
	if err = r.count.By(r.opts.decideBy()); err != nil {
		return err
	}
	r.system = r.swarm.bus.System()
	here := []string{r.result.Thread}
	if r.log, err = r.system.Subscribe(bus.SubscribeOptions{Threads: here}); err != nil {
		return err
	}
	for _, s := range r.seats {
		if s.Publisher, err = r.swarm.bus.Agent(s.Agent.ID, bus.Permissions{CanEmit: emits(s.Agent), Threads: here}); err != nil {
			return err
		}
		if err = s.Listen(r.result.Thread); err != nil {
			return err
		}
	}
	if r.seats.Route() {
		r.wake.On(r.swarm.bus, r.result.Thread)
	}
	return r.wake.Open(r.swarm.bus, r.result.Thread)
}

// run runs until there is a reason to stop. open publishes the first signals.
func (r *solve) run(ctx context.Context, open func(context.Context)) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.opts.Limits.Deadline, errDeadline)
	defer cancel()
	r.span.Deadline, _ = ctx.Deadline()
	defer context.AfterFunc(r.swarm.ended, cancel)()
	ctx, end := hooks.Start(hooks.With(ctx, r.opts.Hook), hooks.Op{
		Name: hooks.OpSolve, Target: r.opts.Name, Thread: r.result.Thread, Cause: hooks.CauseOf(ctx),
	})
	defer func() { end(r.result, r.result.Err) }()

	r.yield(solves.Started{Thread: r.result.Thread, Task: r.result.Task, Seed: r.result.Seed, Agents: r.opts.Agents})
	open(ctx)
	r.plan(ctx)
	r.recordTerms(ctx)
	if why := r.records.abandoned; why != "" {
		r.stop(runlog.StopAbandoned, why, nil)
	}
	if r.records.earlier {
		r.keep(ctx)
		r.swarm.resuming.RUnlock()
	}
	r.finishRound(ctx)
	for !r.over() {
		r.runRound(ctx)
	}
	r.finish(ctx)
}
