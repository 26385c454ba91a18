package machines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Drive solves a task with the swarm of these options, whose agents [Remote] was called for, on
// the log: it waits for the lease of the task, and then begins the solve, or goes on with it
// where the log ends if another process began it. [solves.Started] then has the past, and the
// rounds and signals that are in the log come first. A solve that is over has the result of
// the log, as [solves.List] returns it. Past has all signals of the log ([Records.Digest]): what
// decides does not depend on what the history of the bus still has. A task that is in the log
// by other terms is refused with a [*TermsError]. The bus and the journal of the options are
// replaced. A turn that asks a person about the call of a tool ([asking.Error]) stops the solve,
// with the question on the log; it goes on with the answers that the log has ([Answer]). If the
// lease is lost, another process may go on with the solve; this one waits for the lease again, and
// ends with what was decided meanwhile. One process drives one task at a time on a log.
func Drive(ctx context.Context, log *natsbus.Log, past *Records, o swarm.Options, task signals.Task) iter.Seq2[solves.Event, error] {
	return play(ctx, log, o, &job{past: past, task: task})
}

// Resume goes on with a solve of the log, with an answer from outside the swarm if it asks or
// is undecided, like [swarm.Swarm.StreamResume]. Like [Drive] it waits for the lease of the
// task, so that of several answers one is the first. Without an answer it ends with the result that the
// solve has if another process had it stop meanwhile. A solve that was asked by other terms is refused
// with a [*TermsError].
func Resume(ctx context.Context, log *natsbus.Log, past *Records, o swarm.Options, thread string, answer signals.Any) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		codec, err := Codec(o.Kinds...)
		if err != nil {
			yield(nil, err)
			return
		}
		var all []signals.Any
		for s, err := range journal.Signals(past, codec, 0) {
			if err != nil {
				yield(nil, err)
				return
			}
			if s.Head().Thread == thread {
				all = append(all, s)
			}
		}
		task, err := runlog.Opening(all)
		if err != nil {
			yield(nil, fmt.Errorf("thread %q: %w", thread, err))
			return
		}
		play(ctx, log, o, &job{past: past, task: task.Payload, thread: thread, answer: answer, stops: stopsIn(all)})(yield)
	}
}

// stopsIn returns how often a solve has stopped.
func stopsIn(log []signals.Any) (n int) {
	for _, s := range log {
		if s.Kind() == runlog.KindDecided {
			n++
		}
	}
	return n
}

// A job is what a process drives: the solve of a task, or a solve that is answered.
type job struct {
	past    *Records
	task    signals.Task
	thread  string      // "": that of the task
	answer  signals.Any // nil: none
	stops   int         // of the solve in the log when this process was called for it
	yielded uint64      // number of the last signal of the solve that the caller has
}

// play does a job as soon as no other process does.
func play(ctx context.Context, log *natsbus.Log, o swarm.Options, j *job) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		for {
			err := j.underLease(ctx, log, o, yield)
			if errors.Is(err, natsbus.ErrLost) && ctx.Err() == nil && log.Err() == nil {
				continue
			}
			if err != nil {
				yield(nil, err)
			}
			return
		}
	}
}

// underLease drives a task until the solve stops or the lease is lost.
func (j *job) underLease(ctx context.Context, log *natsbus.Log, o swarm.Options, yield func(solves.Event, error) bool) error {
	before := log.Bus().Last()
	lease, err := log.Lease(ctx, leaseOf(j.task))
	if err != nil {
		return err
	}
	defer lease.Release()
	if j.past.through() < before {
		return fmt.Errorf("machines: the records do not have signal %d of the log: set Records.Digest in its natsbus.Options", before)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer context.AfterFunc(lease.Context(), func() { cancel(context.Cause(lease.Context())) })()
	defer cancel(nil)
	return j.drive(ctx, log, o, yield)
}

func leaseOf(task signals.Task) string {
	text, _ := json.Marshal(task)
	sum := sha256.Sum256(text)
	return "solve " + hex.EncodeToString(sum[:8])
}

func (j *job) drive(ctx context.Context, log *natsbus.Log, o swarm.Options, yield func(solves.Event, error) bool) error {
	past, began, err := j.past.recorded(log.Bus(), o.Kinds, j.of)
	if err != nil {
		return err
	}
	o.Bus, o.Journal = log.Bus(), past
	s, err := swarm.New(o)
	if err != nil {
		return err
	}
	defer s.Close()
	events := s.Stream(ctx, j.task)
	if began || j.thread != "" {
		if events, err = j.goOn(ctx, s, &o); err != nil {
			return err
		}
	}
	for e, err := range events {
		if gone := lost(ctx, e, err); gone != nil {
			return gone
		}
		if said, ok := e.(solves.Spoke); ok {
			j.yielded = said.Signal.Head().Seq
		}
		if !yield(e, err) {
			return nil
		}
	}
	return nil
}

// lost returns why this process does not drive the solve any more, if an event or an error
// says that it ended here for that reason.
func lost(ctx context.Context, e solves.Event, err error) error {
	if stopped, ok := e.(solves.Stopped); ok {
		err = stopped.Result.Err
	} else if err == nil {
		return nil
	}
	var dead *natsbus.DeadLetter
	switch why := context.Cause(ctx); {
	case errors.Is(why, natsbus.ErrLost):
		return why
	case errors.Is(err, natsbus.ErrLost):
		return err
	case errors.As(err, &dead) && dead.Reason == natsbus.Fenced:
		return fmt.Errorf("%w: %w", natsbus.ErrLost, err)
	}
	return nil
}

// of reports whether a signal begins the solve.
func (j *job) of(said signals.Any) bool {
	s, ok := signals.As[signals.Task](said)
	return ok && (s.Thread == j.thread || j.thread == "" && s.Payload == j.task)
}

// goOn goes on with the solve in the log, if it is there. An answer is given once, also
// if this process loses the lease meanwhile.
func (j *job) goOn(ctx context.Context, s *swarm.Swarm, o *swarm.Options) (iter.Seq2[solves.Event, error], error) {
	results, err := s.Results()
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r.Thread == j.thread || j.thread == "" && r.Task == j.task {
			if err := SameTerms(r.Log, o); err != nil {
				return nil, err
			}
			if j.thread == "" {
				if err := samePlan(r.Log, o); err != nil {
					return nil, err
				}
				return j.recounted(r, s.StreamResume(ctx, r.Log, nil)), nil
			}
			if j.answer == nil && stopsIn(r.Log) > j.stops {
				return func(yield func(solves.Event, error) bool) { yield(solves.Stopped{Result: r}, nil) }, nil
			}
			answer := j.answer
			j.answer = nil
			return s.StreamResume(ctx, r.Log, answer), nil
		}
	}
	return s.Stream(ctx, j.task), nil
}
