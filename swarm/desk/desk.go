package desk

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// ErrStopping is why solves end with their desk. Its text is in their logs: the next desk
// continues them.
var ErrStopping = errors.New("the server was stopped")

// Options of a [Desk]. The zero value of a field has the meaning given.
type Options struct {
	// Continue goes on with the solves that an earlier desk or a crash cut off, and at a [Shared]
	// place with those that no process drives any more.
	Continue bool
	// Kinds are those of the log beside the ones of a swarm.
	Kinds []signals.Registration
	// Watcher makes what watches the folding of the log; nil: nothing does. It is called again
	// when the log is folded again.
	Watcher func(*Fold) Watcher
	// Shown is called once the log is folded as far as it went at Open; nil: nothing is.
	Shown func()
	// Said is called soon after what the models of a solve are saying has changed, for several pieces
	// once, with that as [Desk.Saying] returns it. It may be called concurrently. Nil: nobody is told.
	Said func(thread string, saying map[string]string)
	// Hook is that of the swarm: see [swarm.Options].
	Hook hooks.Hook
	// Watch is called for each bus: see [Seat].
	Watch func(*bus.Bus) (stop func(), err error)
}

// A Desk has one team at work on one log. Its methods may be called concurrently. Make one with
// [Open].
type Desk struct {
	Team
	crew    *Crew // nil: the solves are only watched
	options swarm.Options
	place   Place
	shared  Shared // nil: this process alone writes the log
	log     *Log   // nil: the place keeps nothing
	wg      sync.WaitGroup
	leave   context.CancelFunc              // ends what waits in the background
	said    func(string, map[string]string) // tells of what models are saying
	watch   func(string)                    // waits in the background until a question of a solve expires
	unwatch context.CancelFunc              // ends that

	begun  chan struct{} // closed when the place drives solves, or cannot
	ready  chan struct{} // closed when what was cut off goes on, too
	failed error         // why the place does not drive; read after begun

	saying sync.Mutex // held while what a person says is checked and published

	mu      sync.Mutex      // protects the fields below
	running map[string]*run // by thread
	stopped bool
}

// Open opens a team at a place, and begins to read the log: for the swarm, which learns from it,
// and for the fold. Until that is done the fold has less, and what is asked of a solve waits
// ([Desk.Ready]). The desk closes the place, also after an error.
func Open(ctx context.Context, team Team, at Place, o Options) (_ *Desk, err error) {
	d := &Desk{Team: team, place: at, begun: make(chan struct{}), ready: make(chan struct{}), running: map[string]*run{}, said: o.Said}
	if d.said == nil {
		d.said = func(string, map[string]string) {}
	}
	d.shared, _ = at.(Shared)
	back, leave := context.WithCancel(context.WithoutCancel(ctx))
	d.leave = leave
	waits, unwatch := context.WithCancel(back)
	d.watch, d.unwatch = func(thread string) { d.wg.Go(func() { d.expire(waits, thread) }) }, unwatch
	defer func() {
		if err != nil {
			leave()
			err = errors.Join(d.named(err), d.crew.close(), at.Close(context.WithoutCancel(ctx)))
		}
	}()
	if err := d.seat(ctx, &o); err != nil {
		return nil, err
	}
	read := make(chan struct{})
	if err := d.read(back, &o, read); err != nil {
		return nil, err
	}
	d.wg.Go(func() {
		defer close(d.ready)
		d.failed = d.named(at.Begin(back))
		close(d.begun)
		<-read
		switch {
		case d.failed != nil && d.log != nil:
			d.log.fail(d.failed)
		case d.failed == nil && o.Continue:
			d.goOn(back)
		}
	})
	return d, nil
}

// named returns an error with the name of the team.
func (d *Desk) named(err error) error {
	if err == nil || d.Name == "" {
		return err
	}
	return fmt.Errorf("team %s: %w", d.Name, err)
}

// seat opens the team, and seats it.
func (d *Desk) seat(ctx context.Context, o *Options) (err error) {
	if d.Open == nil {
		return nil
	}
	k, err := d.place.Keep(ctx)
	if err != nil {
		return err
	}
	if d.crew, err = d.Open(ctx, k); err != nil {
		return err
	}
	d.options, err = d.place.Seat(Seat{Build: d.dressed(o), Budget: d.crew.Budget, Watch: d.watches(o.Watch)})
	return err
}

// read begins to fold the log; read is closed when its past is.
func (d *Desk) read(ctx context.Context, o *Options, read chan struct{}) error {
	shown := func() {
		if o.Shown != nil {
			o.Shown()
		}
		close(read)
	}
	records := d.place.Log()
	if records == nil {
		shown()
		return nil
	}
	codec, err := runlog.NewCodec(o.Kinds...)
	if err != nil {
		return err
	}
	if d.log, err = newLog(records, codec, o.Watcher); err != nil {
		return err
	}
	of, err := pastOf(records, d.shared != nil)
	if err != nil {
		return err
	}
	d.wg.Go(func() { d.log.follow(ctx, of, shown) })
	return nil
}

// Options returns the options of the team's swarm; zero where solves are only watched.
func (d *Desk) Options() swarm.Options { return d.options }

// Memory returns what the team remembers; nil: nothing.
func (d *Desk) Memory() *memory.Pool {
	if d.crew == nil {
		return nil
	}
	return d.crew.Memory
}

// Budget returns what the team's models spend from; nil: it is not kept.
func (d *Desk) Budget() *limits.Budget {
	if d.crew == nil {
		return nil
	}
	return d.crew.Budget
}

// Log returns the log; nil: the place keeps none.
func (d *Desk) Log() *Log { return d.log }

// Shared reports whether other processes write the log, too.
func (d *Desk) Shared() bool { return d.shared != nil }

// Health returns how the place is doing, without waiting for long.
func (d *Desk) Health(ctx context.Context) Health {
	select {
	case <-d.begun:
	default:
		if d.shared == nil { // there is no swarm yet
			return Health{}
		}
	}
	return d.place.Health(ctx)
}

// Begun waits until solves can begin. Its error is why they cannot.
func (d *Desk) Begun(ctx context.Context) error { return d.after(ctx, d.begun) }

// Ready waits until the log has been read, and the solves that were cut off go on, if they were to.
func (d *Desk) Ready(ctx context.Context) error { return d.after(ctx, d.ready) }

// IsReady reports whether Ready would not have to wait.
func (d *Desk) IsReady() bool {
	select {
	case <-d.ready:
		return true
	default:
		return false
	}
}

func (d *Desk) after(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return d.failed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close cancels the solves that run here, which the next desk continues, and waits for them until
// ctx ends.
func (d *Desk) Close(ctx context.Context) error {
	d.mu.Lock()
	d.stopped = true
	for _, r := range d.running {
		r.cancel(ErrStopping)
	}
	d.mu.Unlock()
	d.unwatch()
	<-d.begun
	if d.shared != nil {
		d.leave()
	}
	err := d.place.Close(ctx) // ends the follower of a journal
	d.wg.Wait()
	d.leave()
	if d.log != nil {
		d.log.Fold().Close()
	}
	return errors.Join(err, d.crew.close())
}
