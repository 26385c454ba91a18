package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// An Office has rooms with standing agents.
type Office struct {
	Name string // of its journal
	// Make returns the options of its router, for a journal and keys.
	Make func(journal.Store, *events.Keys) (*rooms.Options, error)
	Sync journal.Sync
	// Shared are the rooms, if other processes have them, too, in place of a journal that Make
	// is called for. Nil: this server alone has them.
	Shared *Shared
}

// An office runs a router, and shows what happens in its rooms.
type office struct {
	Office
	make    func(context.Context) (router, error) // reads the log
	release func(context.Context) error           // what make made, and the log
	router  router                                // set when ready; nil: it cannot be opened
	ready   chan struct{}                         // closed when the log has been read
	log     work.Records
	agents  []rooms.Standing
	feed    Feed
	end     context.CancelFunc
	wg      sync.WaitGroup
	newest  newest
	before  uint64 // position of the log when it was opened

	mu   sync.Mutex // protects the fields below
	err  error      // why the rooms have stopped
	past float64    // how much of what there was at the start has been shown, 0 to 1
}

// openOffice opens an office, and begins to read its log.
func openOffice(ctx context.Context, with *Options) (of *office, err error) {
	o, feed := with.Office, with.Hub
	if o.Shared != nil {
		of, err = share(o, feed)
	} else {
		of, err = keep(with)
	}
	if err != nil {
		return nil, err
	}
	of.before, of.ready = of.log.Last(), make(chan struct{})
	ctx, of.end = context.WithCancel(context.WithoutCancel(ctx))
	release := feed.Hold(o.Name)
	of.wg.Go(func() {
		at, err := of.open(ctx)
		release()
		of.fail(err)
		close(of.ready)
		if err != nil {
			return
		}
		of.wg.Go(func() { of.follow(ctx, at) })
		of.fail(of.router.Run(ctx))
	})
	return of, nil
}

// keep opens the journal of an office that this server alone has.
func keep(with *Options) (of *office, err error) {
	o, dir := with.Office, with.Dir
	store, err := journal.Open(filepath.Join(dir, o.Name+runs.Suffix), &journal.Options{Sync: o.Sync, Full: with.full(o.Name)})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	options, err := o.Make(store, &events.Keys{Dir: filepath.Join(dir, o.Name+".keys")})
	if err != nil {
		return nil, err
	}
	options.Store = store
	if err := options.Validate(); err != nil {
		return nil, err
	}
	of = &office{Office: *o, log: store, agents: options.Agents, feed: with.Hub, release: func(context.Context) error { return store.Close() }}
	of.make = func(ctx context.Context) (router, error) {
		router, err := rooms.New(ctx, options)
		if err != nil {
			return nil, err
		}
		of.release = func(ctx context.Context) error {
			return errors.Join(router.Close(context.WithoutCancel(ctx)), store.Close())
		}
		return router, nil
	}
	return of, nil
}

// open makes the router, which reads the log, and shows the events that there are. It
// returns the position of the last one.
func (o *office) open(ctx context.Context) (at uint64, err error) {
	router, err := o.make(ctx)
	if err != nil {
		return 0, err
	}
	if at, err = o.read(ctx, router); err != nil {
		return 0, err
	}
	o.router = router
	return at, nil
}

// wait waits until the log has been read, or cannot be.
func (o *office) wait(ctx context.Context) error {
	select {
	case <-o.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// opened returns the router when the log has been read.
func (o *office) opened(ctx context.Context) (router, error) {
	if err := o.wait(ctx); err != nil {
		return nil, err
	}
	if o.router == nil {
		return nil, api.NewError(http.StatusServiceUnavailable, fmt.Sprintf("the rooms cannot be opened: %v", o.problem()))
	}
	return o.router, nil
}

// health returns how the log of the rooms is doing.
func (o *office) health(ctx context.Context) (h work.Health) {
	if o.Shared != nil && o.Shared.Health != nil {
		h.Stream = o.Shared.Health(ctx)
	}
	if file, ok := o.log.(*journal.File); ok {
		h.Full = file.Full()
	}
	return h
}

// writable is opened for what has to be written: it is refused while that would wait.
func (o *office) writable(ctx context.Context) (router, error) {
	router, err := o.opened(ctx)
	if err != nil {
		return nil, err
	}
	h := o.health(ctx)
	if problem := h.Outage(); problem != "" {
		return nil, refused(&work.OutageError{Problem: problem})
	}
	return router, nil
}

// read shows the events that there are, the newest of them to the feed, and returns the
// position of the last one.
func (o *office) read(ctx context.Context, router router) (at uint64, err error) {
	all, err := router.Rooms(ctx)
	if err != nil {
		return 0, err
	}
	var last uint64 // of the log, whose last signals may be no events
	for _, r := range all {
		last = max(last, r.Seq)
	}
	for e, err := range rooms.Log(o.log, 0) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		at = e.Seq
		o.show(e, e.Seq+recent >= last)
		o.reads(float64(at) / float64(last))
	}
	return at, nil
}

func (o *office) close(ctx context.Context) error {
	o.end()
	o.wg.Wait()
	return o.release(ctx)
}

// reads notes how much of the past has been shown.
func (o *office) reads(share float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.past = share
}

// reading returns how much of the past has been shown, from 0 to 1, and whether there is more to
// do before the rooms are open.
func (o *office) reading() (share float64, goesOn bool) {
	select {
	case <-o.ready:
		return 1, false
	default:
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.past, true
}

// account counts the messages and mail that wait for agents, once the rooms are open.
func (o *office) account(ctx context.Context) api.Account {
	of := api.Account{Balanced: true}
	if _, goesOn := o.reading(); goesOn || o.router == nil {
		return of
	}
	all, err := o.router.Rooms(ctx)
	o.fail(err)
	counted := map[string]bool{} // an agent's queues are of all its rooms
	for _, room := range all {
		for _, m := range room.Members {
			if w := m.Waiting; !counted[m.Name] {
				of.Pending += uint64(max(0, w.Urgent+w.Normal+w.Background+w.Mail))
			}
			counted[m.Name] = true
		}
	}
	of.Intended = of.Pending
	return of
}

// problem returns why the rooms have stopped; nil: they have not.
func (o *office) problem() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *office) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil && !errors.Is(err, context.Canceled) {
		o.err = err
	}
}

// follow shows the events of the rooms after a position until ctx ends.
func (o *office) follow(ctx context.Context, at uint64) {
	for ctx.Err() == nil {
		for e, err := range o.router.Events(ctx, rooms.From{After: at, Live: true}) {
			if errors.Is(err, rooms.ErrLagged) {
				break // it goes on from where it was
			}
			if err != nil {
				o.fail(err)
				return
			}
			at = max(at, e.Seq) // fragments and passes have no position
			o.show(e, true)
		}
	}
}

// show keeps an event for pages, and tells the feed if asked.
func (o *office) show(e events.Event, tell bool) {
	text, err := json.Marshal(e)
	if err != nil {
		o.fail(err)
		return
	}
	if e.Seq > 0 && e.Room != "" {
		o.newest.add(e.Room, shown{e.Seq, text}, saidIn(e))
	}
	if e.Room == "" || !tell { // a key
		if e.Seq > 0 {
			o.feed.At(o.Name, e.Seq)
		}
		return
	}
	err = o.feed.Publish(api.Frame{
		Type: api.FrameRoom, Log: o.Name, Seq: e.Seq, Time: &e.Time, Kind: e.Body.Type(), Room: e.Room, Event: text,
	})
	if err != nil {
		o.fail(err)
	}
}

func saidIn(e events.Event) string {
	if u, ok := e.Body.(events.User); ok {
		return u.Content
	}
	d, _ := e.Body.(events.Dialogue)
	return d.Content
}

// standing returns an agent of the roster and its rooms, or nil.
func (o *office) standing(name string) *agents.Agent {
	for _, s := range o.agents {
		if s.Agent.ID == name {
			return s.Agent
		}
	}
	return nil
}
