package rooms

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// A Router runs standing agents in rooms. Its methods may be called concurrently, Run
// only once. Make one with [New] and close it.
type Router struct {
	opts   Options
	agents map[string]*agents.Agent // by name; the map never changes
	bus    *bus.Bus
	log    *bus.Layer
	writer *journal.Writer
	hub    *hub

	mu    sync.Mutex // protects the fields below
	state *roomlog.State
	keys  map[string]ed25519.PrivateKey
	turns int           // running, without those that ask
	news  chan struct{} // closed when something changes
	err   error         // of the log: nothing more can be written
}

// New returns a router with the state in its journal, and with the agents and rooms of
// the options: new agents join, others leave. No agent has a turn before
// [Router.Run].
func New(ctx context.Context, o *Options) (*Router, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	codec, err := codec()
	if err != nil {
		return nil, err
	}
	b, err := bus.New(&bus.Options{TTL: -1, Sweep: -1, Clock: opts.Clock, Mint: opts.Mint, Limits: codec.Limits})
	if err != nil {
		return nil, err
	}
	r := &Router{
		opts: opts, agents: map[string]*agents.Agent{}, bus: b, state: roomlog.New(),
		keys: map[string]ed25519.PrivateKey{}, news: make(chan struct{}),
	}
	for _, s := range opts.Agents {
		r.agents[s.Agent.ID] = s.Agent
	}
	return r, r.open(ctx, codec)
}

// codec reads what routers write.
func codec() (*signals.Codec, error) {
	c, err := signals.NewCodec(roomlog.Payloads()...)
	if err == nil {
		c.Limits.TextBytes = ResultBytes
	}
	return c, err
}

// open continues the log of the store.
func (r *Router) open(ctx context.Context, codec *signals.Codec) (err error) {
	defer func() {
		if err != nil {
			r.bus.Close()
		}
	}()
	kept, err := r.opts.Store.Snapshot()
	if err != nil {
		return err
	}
	if kept.Through > 0 {
		return fmt.Errorf("%w: the first %d records of the journal were dropped", ErrDropped, kept.Through)
	}
	for s, err := range journal.Signals(r.opts.Store, codec, 0) {
		if err == nil {
			err = r.state.Apply(s)
		}
		if err != nil {
			return err
		}
	}
	if r.log, err = r.bus.Layer("rooms", roomlog.Kinds()...); err != nil {
		return err
	}
	if r.writer, err = journal.Attach(ctx, r.bus, r.opts.Store, codec); err != nil {
		return err
	}
	if r.hub, err = newHub(r); err != nil {
		return errors.Join(err, r.writer.Close(ctx))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.settleLocked(ctx)
}

// Close stops the router and releases its goroutines; it does not close the journal.
// It waits until everything is written, or until ctx ends. Close it after Run has
// returned. A journal has one router at a time: another may continue it only once Close has
// returned, because before that it could miss signals that are not written yet.
func (r *Router) Close(ctx context.Context) error {
	r.mu.Lock()
	if r.err == nil {
		r.err = ErrClosed
	}
	r.mu.Unlock()
	err := r.writer.Close(ctx)
	r.hub.close()
	r.bus.Close()
	return err
}

// commitLocked appends events and records to the log, in one piece, and folds them. It
// seals the events.
func (r *Router) commitLocked(ctx context.Context, drafts ...any) (seq uint64, err error) {
	if r.err != nil {
		return 0, r.err
	}
	all, err := r.sealLocked(drafts)
	if err != nil {
		return 0, err
	}
	var logged []signals.Any
	err = r.log.Append(ctx, func(uint64, time.Time) ([]signals.Any, error) { return all, nil }, func(got []signals.Any) { logged = got })
	if err != nil {
		return 0, err
	}
	for _, s := range logged {
		if err := r.state.Apply(s); err != nil {
			r.err = err
			return 0, err
		}
		seq = s.Head().Seq
	}
	r.changedLocked()
	return seq, nil
}

// sealLocked returns drafts as signals: events with their places in the chains, and
// records.
func (r *Router) sealLocked(drafts []any) ([]signals.Any, error) {
	heads := map[string]string{}
	now := r.opts.Clock()
	all := make([]signals.Any, 0, len(drafts))
	for _, d := range drafts {
		e, ok := d.(events.Event)
		if !ok {
			record, _ := d.(signals.Any)
			h := record.Head()
			h.Time, h.TTL, h.Confidence = now, -1, 1
			all = append(all, signals.With(record, h))
			continue
		}
		if _, known := heads[e.Room]; !known {
			heads[e.Room] = r.state.Head(e.Room)
		}
		e.Time = now
		key, err := r.signerLocked(e)
		if err != nil {
			return nil, err
		}
		if e, err = events.Seal(e, heads[e.Room], key); err != nil {
			return nil, err
		}
		s, err := e.Signal()
		if err != nil {
			return nil, err
		}
		heads[e.Room] = e.ID
		all = append(all, s)
	}
	return all, nil
}

func (r *Router) changedLocked() {
	close(r.news)
	r.news = make(chan struct{})
}

// commit appends the drafts that decide returns to the log. It does not wait for the journal:
// feeds show a turn only once the journal has it, and a turn lost in a crash is taken again.
// (Waiting, four turns at once answered 300 messages a second instead of all 1,000.)
func (r *Router) commit(ctx context.Context, decide func() ([]any, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	drafts, err := decide()
	if err != nil || len(drafts) == 0 {
		return err
	}
	_, err = r.commitLocked(ctx, drafts...)
	return err
}

// system returns a system event.
func system(room string, what events.What, agent, format string, args ...any) events.Event {
	return events.Event{Room: room, From: events.FromRouter, Body: events.System{
		Common: events.Common{Priority: background}, What: what, Agent: agent, Content: fmt.Sprintf(format, args...),
	}}
}

// Idle waits until no turn runs and none can begin, or until ctx ends. It waits for agents
// that are paused after a failure, because they will continue, and not for those that ask
// the user.
func (r *Router) Idle(ctx context.Context) error {
	for {
		r.mu.Lock()
		news, err := r.news, r.err
		idle := r.turns == 0 && (r.state.Idle() || r.state.Asks())
		seq := r.state.Seq()
		r.mu.Unlock()
		switch {
		case err != nil:
			return err
		case idle:
			return r.writer.Sync(ctx, seq)
		}
		select {
		case <-news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// now returns the time on the router's clock.
func (r *Router) now() time.Time { return r.opts.Clock() }
