package host

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/view"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// errStopping is why solves end with the server. Its text is in their logs: the next start
// continues them.
var errStopping = errors.New("the server was stopped")

var errCancelled = errors.New("cancelled by a person")

// A Team is one that can be given tasks.
type Team struct {
	Name string
	Run  string      // its journal; "" means Name
	File *teams.Team // its definition; nil: the program has it
	// About describes it, if there is no file.
	About string
	// Tasks are those that its agents know, if they are scripted; nil: they take any.
	Tasks []string
	// Make makes its swarm's options, whose journal is store. [Open] waits for it: work that
	// has to read the journal belongs in [Made.Begin].
	Make   func(ctx context.Context, store journal.Store) (*Made, error)
	Sync   journal.Sync      // of its journal
	Retain journal.Retention // of its journal; zero: everything
}

// Made is a team that is ready to run.
type Made struct {
	Options swarm.Options
	Memory  *memory.Pool // of the options, to search it; nil: none
	// Begin is called before the swarm is made, and may read the journal: [Open] does not
	// wait for it. Nil: nothing to do.
	Begin func() error
	End   func() error // releases all of it, after the swarm; nil: nothing to do
}

// A desk runs the solves of a team.
type desk struct {
	Team
	Made
	log   *log
	store *journal.File // nil, as swarm is, if other processes write the log, too
	wg    sync.WaitGroup

	begun   chan struct{} // closed when the fields below are set
	swarm   *swarm.Swarm  // nil if the desk failed
	unwatch func()        // ends the watch of the bus; nil: there is none
	failed  error         // why there is no swarm
	begin   func(context.Context, signals.Task) iter.Seq2[solves.Event, error]
	again   func(ctx context.Context, thread string, said []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error]
	answer  func(context.Context, tools.Question, tools.Answer) error // records an answer about the call of a tool

	ready chan struct{} // closed when the journal has been read, or there is no swarm

	elsewhere *Elsewhere // nil: this server alone writes the log
	leave     func()     // ends following it
	deciding  sync.Mutex // held while a verdict is recorded

	mu      sync.Mutex                         // protects the fields below
	running map[string]context.CancelCauseFunc // by thread
	drives  map[string]bool                    // of these, those that no other process drives
	stopped bool
}

// open opens the journal of a team, and begins to read what is in it: for the swarm, which
// learns from it, and for the book.
func open(ctx context.Context, o *Options, t Team) (_ *desk, err error) {
	path := filepath.Join(o.Dir, t.Run+runs.Suffix)
	_, missing := os.Stat(path)
	store, err := journal.Open(path, &journal.Options{Sync: t.Sync})
	if err != nil {
		return nil, err
	}
	d := &desk{Team: t, store: store, begun: make(chan struct{}), ready: make(chan struct{}), running: map[string]context.CancelCauseFunc{}, drives: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("team %s: %w", t.Name, err), d.release(), store.Close())
			if missing != nil { // it has nothing
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	if d.log, err = newLog(t.Run, t, store, o.Hub); err != nil {
		return nil, err
	}
	made, err := t.Make(ctx, store)
	if err != nil {
		return nil, err
	}
	d.Made = *made
	d.Options.Journal, d.Options.Name, d.Options.Hook = store, t.Name, o.Hook
	d.Options.Traits = traits(d.Options.Traits)
	shown, release := make(chan struct{}), o.Hub.Hold(t.Run)
	last := store.Last()
	d.wg.Go(func() { d.log.follow(context.WithoutCancel(ctx), past{last - min(last, recent), last}, shown) })
	d.wg.Go(func() {
		defer close(d.ready)
		d.makeSwarm(o)
		<-shown
		release()
		if d.failed != nil {
			d.log.fail(d.failed)
		} else if err := d.goOn(); err != nil && !errors.Is(err, errStopping) {
			d.log.fail(err)
		}
	})
	return d, nil
}

// makeSwarm makes the swarm, which reads the journal.
func (d *desk) makeSwarm(o *Options) {
	defer close(d.begun)
	var s *swarm.Swarm
	var err error
	if d.Begin != nil {
		err = d.Begin()
	}
	if err == nil {
		s, err = swarm.New(d.Options)
	}
	if err != nil {
		d.failed = fmt.Errorf("team %s: %w", d.Name, err)
		return
	}
	if o.Watch != nil {
		if d.unwatch, err = o.Watch(s.Bus()); err != nil {
			s.Close()
			d.failed = err
			return
		}
	}
	d.swarm, d.begin = s, s.Stream
	d.answer = func(_ context.Context, q tools.Question, a tools.Answer) error { return cassette.Answer(d.store, q, a) }
	d.again = func(ctx context.Context, _ string, said []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error] {
		return s.StreamResume(ctx, said, answer)
	}
}

// begins waits until there is the swarm.
func (d *desk) begins(ctx context.Context) error { return d.after(ctx, d.begun) }

// wait waits until the journal has been read, and the solves that ended with the server continue.
func (d *desk) wait(ctx context.Context) error { return d.after(ctx, d.ready) }

func (d *desk) after(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return d.failed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// opened reports whether wait would not have to wait.
func (d *desk) opened() bool {
	select {
	case <-d.ready:
		return true
	default:
		return false
	}
}

// stats returns those of the team's bus, once there is one.
func (d *desk) stats() bus.Stats {
	select {
	case <-d.begun:
		if d.swarm != nil {
			return d.swarm.Bus().Stats()
		}
	default:
	}
	return bus.Stats{}
}

// goOn continues the solves that ended with the server or a crash, and those whose questions
// were answered before it.
func (d *desk) goOn() error {
	for _, one := range d.cutOff() {
		if err := d.resume(one.Thread, d.log.book().Log(one.Thread), nil); err != nil {
			return fmt.Errorf("%s cannot be continued: %w", one.Thread, err)
		}
	}
	return nil
}

// cutOff returns the solves that goOn continues, and that do not run here.
func (d *desk) cutOff() (all []api.Solve) {
	answered := d.answered()
	for _, one := range d.log.book().Solves() {
		cut := one.State == api.Running
		cut = cut || one.Stop == runlog.StopCancelled.String() && strings.HasPrefix(one.Detail, errStopping.Error())
		if (cut || one.Stop == runlog.StopAsked.String() && answered[one.Thread]) && !d.runs(one.Thread) && d.fits(d.log.book().Log(one.Thread)) == nil {
			all = append(all, one)
		}
	}
	return all
}

// solve begins a solve, and returns its thread.
func (d *desk) solve(task signals.Task, of kind) (thread string, err error) {
	if d.begin == nil {
		return "", errWatched
	}
	if d.elsewhere != nil && of.said() {
		return "", errKind
	}
	return d.play("", func(ctx context.Context) iter.Seq2[solves.Event, error] { return d.begin(of.in(ctx), task) })
}

// resume continues a solve. It returns when the book shows that, or after a moment: turns that
// are taken again may publish nothing at first.
func (d *desk) resume(thread string, said []signals.Any, answer signals.Any) error {
	if d.again == nil {
		return errWatched
	}
	if err := d.fits(said); err != nil {
		return err
	}
	_ = d.log.until(context.Background(), func(b *view.Book) bool { // one that has stopped returns
		one, _ := b.Solve(thread)
		return one.Stop == "" || !d.runs(thread)
	})
	_, err := d.play(thread, func(ctx context.Context) iter.Seq2[solves.Event, error] {
		return d.again(ctx, thread, said, answer)
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), moment)
	defer cancel()
	last := said[len(said)-1].Head().Seq
	_ = d.log.until(ctx, func(b *view.Book) bool { // it goes on in any case
		one, _ := b.Solve(thread)
		return one.Seq > last || !d.runs(thread)
	})
	return nil
}

// moment is how long a solve that goes on is awaited.
const moment = time.Second

// errRuns is returned for a solve that runs.
var errRuns = errors.New("the solve is running")

// play plays a solve, and returns when its first event is there, with its thread.
func (d *desk) play(thread string, events func(context.Context) iter.Seq2[solves.Event, error]) (string, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	d.mu.Lock()
	if d.stopped || thread != "" && d.running[thread] != nil {
		d.mu.Unlock()
		cancel(nil)
		if d.stopped {
			return "", errStopping
		}
		return "", errRuns
	}
	if thread != "" {
		d.running[thread] = cancel
	}
	d.wg.Add(1)
	d.mu.Unlock()
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
				d.mu.Lock()
				d.running[name] = cancel
				d.mu.Unlock()
			}
			if !told {
				d.mu.Lock()
				d.drives[name] = true
				d.mu.Unlock()
				begun <- first{name, err}
				told = true
			}
			if stopped, ok := e.(solves.Stopped); ok {
				d.shows(name, stopped.Result)
			}
		}
		if !told {
			begun <- first{name, nil}
		}
		d.mu.Lock()
		delete(d.running, name)
		delete(d.drives, name)
		d.mu.Unlock()
		d.log.tell()
		if err := d.retain(); err != nil {
			d.log.fail(err)
		}
	}()
	f := <-begun
	return f.thread, f.err
}

// shows waits until the book has all of a solve that has stopped, so that it is not taken
// for one that was cut off.
func (d *desk) shows(thread string, r *solves.Result) {
	if len(r.Log) == 0 {
		return
	}
	last := r.Log[len(r.Log)-1].Head().Seq
	_ = d.log.until(context.Background(), func(b *view.Book) bool { // its only error is that the journal is closed
		one, ok := b.Solve(thread)
		return ok && one.Seq >= last
	})
}

// cancel ends a running solve, and reports whether it ran here.
func (d *desk) cancel(thread string) bool {
	if !d.drive(thread) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	cancel := d.running[thread]
	if cancel != nil {
		cancel(errCancelled)
	}
	return cancel != nil
}

// going returns the threads of the solves that run.
func (d *desk) going() map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string]bool{}
	for thread := range d.running {
		all[thread] = true
	}
	return all
}

func (d *desk) runs(thread string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running[thread] != nil
}

// retain drops the oldest records if there are too many.
func (d *desk) retain() error {
	if d.store == nil {
		return nil
	}
	info, err := os.Stat(d.store.Path())
	if err != nil || d.Retain.Bytes == 0 || info.Size() < d.Retain.Bytes {
		return err
	}
	n, err := d.swarm.Retain(d.Retain)
	if n > 0 {
		d.log.dropped()
	}
	if errors.Is(err, swarm.ErrResuming) {
		return nil // the next solve tries again
	}
	return err
}

// close ends the solves, which the next start continues.
func (d *desk) close(ctx context.Context) error {
	d.mu.Lock()
	d.stopped = true
	for _, cancel := range d.running {
		cancel(errStopping)
	}
	d.mu.Unlock()
	var err error
	if <-d.begun; d.elsewhere != nil {
		d.leave()
	} else {
		if d.swarm != nil {
			err = d.swarm.Shutdown(ctx)
		}
		err = errors.Join(err, d.store.Close()) // ends the follower
	}
	d.wg.Wait()
	if d.unwatch != nil {
		d.unwatch()
	}
	d.log.book().Close()
	return errors.Join(err, d.release())
}

func (d *desk) release() error {
	if d.End == nil {
		return nil
	}
	return d.End()
}
