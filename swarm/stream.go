package swarm

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Solve works on a task until there is a reason to stop. It returns an error if
// a solve could not start or failed; then Result.Stop is [runlog.StopError], or the
// result is nil if nothing ran. Every other end, including a deadline, is a
// result without an error.
func (s *Swarm) Solve(ctx context.Context, task signals.Task) (*solves.Result, error) {
	return resultOf(s.Stream(ctx, task))
}

// Stream is [Swarm.Solve] as a sequence of events, in order, [solves.Stopped] last.
// Ending the loop early ends the solve. If the solve could not start, it yields
// only an error.
func (s *Swarm) Stream(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error] {
	return s.stream(ctx, func() (*solve, func(context.Context), error) {
		r, err := s.start(ctx, task)
		return r, func(ctx context.Context) {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1}, task))
			r.brief(ctx)
		}, err
	})
}

// stream runs the solve that start returns. Ending the loop cancels it.
func (s *Swarm) stream(ctx context.Context, start func() (*solve, func(context.Context), error)) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		if err := s.enter(); err != nil {
			yield(nil, err)
			return
		}
		defer s.running.Done()
		run, open, err := start()
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		watched := true
		run.yield = func(e solves.Event) {
			if watched = watched && yield(e, nil); !watched {
				cancel() // the loop has ended
			}
		}
		run.run(ctx, open)
	}
}

// start opens the solve of a task.
func (s *Swarm) start(ctx context.Context, task signals.Task) (*solve, error) {
	if err := errors.Join(signals.Validate(signals.New(signals.Header{}, task)), checkSchema(task)); err != nil {
		return nil, fmt.Errorf("swarm: %w", err)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("swarm: the solve was not started: %w", context.Cause(ctx))
	}
	return s.open(&solves.Result{Thread: s.names.Reserve(), Task: task, Seed: s.opts.Seed})
}

// resultOf returns the result at the end of a stream.
func resultOf(events iter.Seq2[solves.Event, error]) (*solves.Result, error) {
	for event, err := range events {
		if err != nil {
			return nil, err
		}
		if stopped, ok := event.(solves.Stopped); ok {
			if stopped.Result.Stop == runlog.StopError {
				err = stopped.Result.Err
			}
			return stopped.Result, err
		}
	}
	panic("swarm: a solve ended without a result")
}
