package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Errors of the methods of a desk.
var (
	// ErrCancelled is why a solve ends that was cancelled. Its text is in the log.
	ErrCancelled = errors.New("cancelled by a person")
	// ErrRuns is returned for a solve that runs.
	ErrRuns = errors.New("the solve is running")
	// ErrIdle is returned for a solve that does not run here.
	ErrIdle = errors.New("the solve does not run")
	// ErrWatched is returned for what needs a process that drives the team.
	ErrWatched = errors.New("this server only watches the log: name the team in its configuration to drive its solves")
	// ErrKind is returned for a task with a kind at a place where another process may drive its
	// solve, which does not know what was said here.
	ErrKind = errors.New("factsDiffer and checkable: only the file of the team can say so, since other processes may drive the solve")
)

// An OutageError says that nothing was done, because nothing can be written: see [Health.Outage].
type OutageError struct{ Problem string }

func (e *OutageError) Error() string { return "nothing was done: " + e.Problem }

// A DrivenError says that another process drives a solve.
type DrivenError struct{ Process string }

func (e *DrivenError) Error() string { return e.Process + " drives the solve" }

// An UnfitError says why a solve is not one of the team by its terms.
type UnfitError struct{ Err error }

func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnfitError) Unwrap() error { return e.Err }

// A run is a solve that runs here.
type run struct {
	cancel context.CancelCauseFunc
	drives bool   // events have come: no other process drives it
	from   uint64 // up to where the log was folded then
	*trail
}

// Start begins a solve, and returns its thread when it is on record. At a [Shared] place the same
// words are asked once: known reports whether the log had the solve before, which then is shown if
// it is over, and continued or left to the process that drives it otherwise. A task with a reference is
// asked once at any place that keeps a log.
func (d *Desk) Start(ctx context.Context, t Task) (thread string, known bool, err error) {
	t = d.typed(t)
	if err := d.Begun(ctx); err != nil {
		return "", false, err
	}
	if err := d.Reached(ctx); err != nil {
		return "", false, err
	}
	if t.Ref != "" && d.log != nil {
		d.saying.Lock()
		defer d.saying.Unlock()
		if err := d.Ready(ctx); err != nil {
			return "", false, err
		}
		if before, ok := d.known(t.Task); ok && d.shared == nil {
			return before.Thread, true, nil
		}
	}
	if d.shared != nil {
		if err := d.Ready(ctx); err != nil {
			return "", false, err
		}
		before, ok := d.known(t.Task)
		if known = ok; ok {
			if err := d.fits(before.Log); err != nil {
				return "", true, err
			}
			if before.Stop == 0 {
				if who, err := d.driver(ctx, before.Thread); who != "" || err != nil {
					return before.Thread, true, err
				}
			}
		}
		if t.said() {
			return "", known, ErrKind
		}
	}
	thread, _, err = d.play(hooks.After(context.Background(), ctx), "", d.drives(t))
	if err != nil || d.log == nil {
		return thread, known, err
	}
	return thread, known, d.log.Until(ctx, func() bool { _, ok := d.log.Fold().Solve(thread); return ok })
}

// drives returns what drives a task.
func (d *Desk) drives(t Task) func(context.Context) iter.Seq2[solves.Event, error] {
	return func(ctx context.Context) iter.Seq2[solves.Event, error] { return d.place.Drive(t.in(ctx), t.Task) }
}

// Solve yields the events of a task that is solved meanwhile, as [Desk.Follow] does. The solve ends
// with ctx, and with the iteration.
func (d *Desk) Solve(ctx context.Context, t Task) iter.Seq2[solves.Event, error] {
	return d.during(ctx, "", d.drives(d.typed(t)))
}

// typed returns a task with the schema of its answers: its own, or that of the team.
func (d *Desk) typed(t Task) Task {
	t.Schema = cmp.Or(t.Schema, d.File.AnswerSchema())
	return t
}

// Continue yields the events of a solve that is continued meanwhile, with an answer or, for nil,
// without one. The solve ends with ctx, and with the iteration.
func (d *Desk) Continue(ctx context.Context, thread string, answer signals.Any) iter.Seq2[solves.Event, error] {
	return d.during(ctx, thread, func(ctx context.Context) iter.Seq2[solves.Event, error] {
		one, _ := d.log.Fold().Solve(thread)
		return d.place.Resume(ctx, one.Log, answer)
	})
}

// during plays a solve during the iteration over its events.
func (d *Desk) during(ctx context.Context, thread string, events func(context.Context) iter.Seq2[solves.Event, error]) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		if err := d.Ready(ctx); err != nil {
			yield(nil, err)
			return
		}
		_, r, err := d.play(ctx, thread, events)
		if r == nil {
			yield(nil, err)
			return
		}
		defer func() {
			r.cancel(nil)
			<-r.over
		}()
		r.follow(context.WithoutCancel(ctx))(yield)
	}
}

// known returns the solve that the log has of a task.
func (d *Desk) known(task signals.Task) (Standing, bool) {
	for _, one := range d.log.Fold().Solves() {
		if one.task == task || task.Ref != "" && one.task.Ref == task.Ref {
			return one, true
		}
	}
	return Standing{}, false
}

// Resume continues a solve, with an answer or, for nil, without one. It returns when the log shows
// that, or after a moment: turns that are taken again may publish nothing at first.
func (d *Desk) Resume(thread string, answer signals.Any) error {
	one, ok := d.log.Fold().Solve(thread)
	if !ok {
		return fmt.Errorf("%w: there is no thread %q", runlog.ErrLog, thread)
	}
	if err := d.fits(one.Log); err != nil {
		return err
	}
	_ = d.log.Until(context.Background(), func() bool { // one that has stopped returns
		now, _ := d.log.Fold().Solve(thread)
		return now.Stop == 0 || !d.runs(thread)
	})
	_, _, err := d.play(context.Background(), thread, func(ctx context.Context) iter.Seq2[solves.Event, error] { return d.place.Resume(ctx, one.Log, answer) })
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), moment)
	defer cancel()
	_ = d.log.Until(ctx, func() bool { // it goes on in any case
		now, _ := d.log.Fold().Solve(thread)
		return now.seq() > one.seq() || !d.runs(thread)
	})
	return nil
}

// moment is how long a solve that goes on is awaited.
const moment = time.Second

// play plays a solve until ctx ends, and returns when its first event is there, with its thread.
func (d *Desk) play(ctx context.Context, thread string, events func(context.Context) iter.Seq2[solves.Event, error]) (string, *run, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &run{cancel: cancel, trail: newTrail()}
	if err := d.enter(thread, r); err != nil {
		cancel(nil)
		return "", nil, err
	}
	type first struct {
		thread string
		err    error
	}
	begun := make(chan first, 1)
	go func() {
		defer d.wg.Done()
		defer cancel(nil)
		told, name := false, thread
		for e, err := range events(ctx) {
			if started, ok := e.(solves.Started); ok && name == "" {
				name = started.Thread
			}
			if !told {
				d.drive(name, r)
				begun <- first{name, err}
				told = true
			}
			if stopped, ok := e.(solves.Stopped); ok {
				d.shows(name, stopped.Result)
			}
			r.add(e, err)
		}
		if !told {
			begun <- first{name, nil}
		}
		d.left(name)
		r.end()
	}()
	f := <-begun
	return f.thread, r, f.err
}

// enter notes a solve that is about to run.
func (d *Desk) enter(thread string, r *run) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.stopped:
		return ErrStopping
	case thread != "" && d.running[thread] != nil:
		return ErrRuns
	case thread != "":
		d.running[thread] = r
	}
	d.wg.Add(1)
	return nil
}

// drive notes that this process drives a solve.
func (d *Desk) drive(thread string, r *run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.log != nil {
		r.from, _ = d.log.Fold().Seq()
	}
	if r.drives = true; thread != "" {
		d.running[thread] = r
	}
}

// left notes that a solve does not run any more.
func (d *Desk) left(thread string) {
	d.mu.Lock()
	delete(d.running, thread)
	d.mu.Unlock()
	if d.log == nil {
		return
	}
	d.log.tell()
	if d.shared == nil {
		d.watch(thread)
	}
	if at, ok := d.place.(*Local); ok {
		dropped, err := at.retain()
		if dropped {
			d.log.dropped()
		}
		d.log.retained(err)
	}
}

// shows waits until the fold has all of a solve that has stopped, so that it is not taken for one
// that was cut off.
func (d *Desk) shows(thread string, r *solves.Result) {
	if d.log == nil || len(r.Log) == 0 {
		return
	}
	last := r.Log[len(r.Log)-1].Head().Seq
	_ = d.log.Until(context.Background(), func() bool { // its only error is that the log is closed
		one, ok := d.log.Fold().Solve(thread)
		return ok && one.seq() >= last
	})
}

// Cancel ends a solve that this process drives, or that waits for a person, and returns when it has
// ended. By says who cancels it. One that waited stops by [runlog.StopAbandoned], and does not go on.
// The error is a [*DrivenError] if another process drives the solve, and [ErrIdle] if it had stopped for
// another reason before it could be cancelled.
func (d *Desk) Cancel(ctx context.Context, thread, by string) error {
	d.mu.Lock()
	r := d.running[thread]
	drives := r != nil && (d.shared == nil || r.drives)
	stopped := drives && d.log != nil && d.log.Fold().stopped(thread, r.from) // it leaves
	if drives && !stopped {
		r.cancel(ErrCancelled)
	}
	d.mu.Unlock()
	if !drives {
		return d.abandon(ctx, thread, by)
	}
	select {
	case <-r.over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if stopped {
		return d.abandon(ctx, thread, by)
	}
	return r.cancelled()
}

// abandon ends a solve that waits for a person.
func (d *Desk) abandon(ctx context.Context, thread, by string) error {
	if d.log == nil {
		return ErrIdle
	}
	one, _ := d.log.Fold().Solve(thread)
	if one.Stop != runlog.StopAsked && one.Stop != runlog.StopEscalated {
		who, err := d.driver(ctx, thread)
		if err == nil && who != "" {
			err = &DrivenError{who}
		}
		return cmp.Or(err, ErrIdle)
	}
	if err := cmp.Or(d.Reached(ctx), d.Resume(thread, runlog.Abandon(by))); err != nil {
		return err
	}
	err := d.log.Until(ctx, func() bool {
		one, _ = d.log.Fold().Solve(thread)
		return one.Stop != 0 && !d.runs(thread)
	})
	if err == nil && one.Stop != runlog.StopAbandoned {
		return ErrIdle // an answer came first
	}
	return err
}

// Running has the threads of the solves that run here, or wait here until another process does not
// drive them any more, and false for one whose end the log has, which is about to be let go of.
func (d *Desk) Running() map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string]bool{}
	for thread, r := range d.running {
		all[thread] = d.log == nil || !r.drives || !d.log.Fold().stopped(thread, r.from)
	}
	return all
}

// runs reports whether a solve is one of [Desk.Running], or one that has just ended.
func (d *Desk) runs(thread string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running[thread] != nil
}

// Drives reports whether this process drives a solve, and does not wait until it may.
func (d *Desk) Drives(thread string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.running[thread]
	return r != nil && (d.shared == nil || r.drives)
}
