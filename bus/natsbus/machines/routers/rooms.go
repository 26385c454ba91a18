package routers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// ResultBytes is the maximum length of a tool's result in the log: as JSON, which writes
// some characters as six, it has room in one message of the servers.
const ResultBytes = 128 << 10

// ErrRoster is returned in a process that has another [Options].Roster than the one that runs the rooms.
var ErrRoster = errors.New("routers: the rooms are run with another roster")

// Options of [Open]. All but Tell, Snapshots and Roster are required.
type Options struct {
	Log     *natsbus.Log
	Records *machines.Records // of the kinds of package roomlog, numbered, folded from the log
	Codec   *signals.Codec    // that of the log: see [Codec]
	// Make returns the options of the router with a store, whenever this process begins to
	// drive. Results of models and tools belong in [natsbus.Results].
	Make func(journal.Store) (*rooms.Options, error)
	// Tell is called when this process begins to drive the rooms, or ceases to, with the
	// reason, and when it could not store a snapshot while it drives them.
	Tell func(drives bool, why error)
	// Snapshots is the time between two snapshots of the log that this process stores while it
	// drives the rooms, which need [natsbus.Options].Over. Default: none are stored, and the
	// stream has to keep everything.
	Snapshots time.Duration
	// Roster is what all processes must have in common beside the log, such as a hash of the
	// file of the office. A process with another one than that of the process that runs the rooms may
	// change nothing, and its [Rooms.Run] ends: with [ErrRoster].
	Roster string
}

// Codec returns the codec with which processes read a log of rooms.
func Codec() (*signals.Codec, error) {
	c, err := machines.Codec(roomlog.Payloads()...)
	if err == nil {
		c.Limits.TextBytes = rooms.ResultBytes
	}
	return c, err
}

// Reserved returns the kinds that only processes that share the rooms may say
// ([natsbus.Options].Reserved).
func Reserved() []signals.Kind { return append(machines.Reserved(), roomlog.Kinds()...) }

// Rooms are rooms whose router is in one of several processes. The methods may be called
// concurrently, Run only once.
type Rooms struct {
	*rooms.Follower
	o     Options
	layer *bus.Layer

	mu     sync.Mutex // protects the fields below
	router *rooms.Router
	moved  context.Context // ends when the router is elsewhere
	move   context.CancelFunc
}

// Open returns the rooms of a log. Nobody has a turn before [Rooms.Run], here or in another
// process. The error wraps [rooms.ErrDropped] if what was in the rooms is not all here
// ([natsbus.Log.Lacks]).
func Open(o *Options) (*Rooms, error) {
	if o.Log.Lacks(roomlog.Kinds()...) {
		return nil, fmt.Errorf("%w: the first messages of the stream are gone, and no snapshot has all that was in the rooms", rooms.ErrDropped)
	}
	follower, err := rooms.NewFollower(o.Records)
	if err != nil {
		return nil, err
	}
	layer, err := o.Log.Bus().Layer("rooms", roomlog.Kinds()...)
	if err != nil {
		return nil, err
	}
	r := &Rooms{Follower: follower, o: *o, layer: layer}
	r.moved, r.move = context.WithCancel(context.Background())
	return r, nil
}

// where returns the router, if it is in this process, and a context that ends when that
// changes.
func (r *Rooms) where() (*rooms.Router, context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.router, r.moved
}

func (r *Rooms) place(router *rooms.Router) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.router = router
	r.move()
	r.moved, r.move = context.WithCancel(context.Background())
}

// Run drives the rooms whenever no other process does, until ctx or the log ends, and
// returns why, or why this process cannot drive them.
func (r *Rooms) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var comparing sync.WaitGroup
	defer comparing.Wait()
	defer cancel(nil)
	comparing.Go(func() {
		if _, err := r.ask(ctx, request{Do: "roster"}); errors.Is(err, ErrRoster) {
			cancel(err)
		}
	})
	for {
		err := r.drive(ctx)
		if why := context.Cause(ctx); errors.Is(why, ErrRoster) {
			return why
		}
		if !gone(err) || ctx.Err() != nil || r.o.Log.Err() != nil {
			return err
		}
	}
}

// drive waits for the lease, and drives the rooms until it is lost.
func (r *Rooms) drive(ctx context.Context) (err error) {
	lease, err := r.o.Log.Lease(ctx, "rooms")
	if err != nil {
		return err
	}
	defer lease.Release()
	options, err := r.o.Make(machines.NewStore(r.o.Records, lease, r.layer, r.o.Codec))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(lease.Context(), func() { cancel(context.Cause(lease.Context())) })()
	router, err := rooms.New(ctx, options)
	if err != nil {
		return err
	}
	return r.runs(ctx, router)
}

// runs runs a router, and answers what it is asked, until ctx ends.
func (r *Rooms) runs(ctx context.Context, router *rooms.Router) (err error) {
	defer func() {
		r.place(nil)
		closed := router.Close(context.WithoutCancel(ctx))
		if err = errors.Join(err, closed); r.o.Tell != nil {
			r.o.Tell(false, err)
		}
	}()
	r.place(router)
	if r.o.Tell != nil {
		r.o.Tell(true, nil)
	}
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	defer serving.Wait()
	defer cancel()
	serving.Go(func() {
		_ = r.o.Log.Serve(ctx, calls, func(ctx context.Context, q []byte) []byte { return r.answer(ctx, router, q) })
	})
	if r.o.Snapshots > 0 {
		serving.Go(func() { r.snapshots(ctx) })
	}
	return router.Run(ctx)
}

// snapshots stores snapshots of the log until ctx ends.
func (r *Rooms) snapshots(ctx context.Context) {
	tick := time.NewTicker(r.o.Snapshots)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := r.o.Log.Snapshot(ctx); err != nil && ctx.Err() == nil && r.o.Tell != nil {
			r.o.Tell(true, fmt.Errorf("routers: no snapshot was stored: %w", err))
		}
	}
}
