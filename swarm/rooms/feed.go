package rooms

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// From says where a feed begins. The zero value is all events of all rooms, from the
// first one on.
type From struct {
	Room  string // "": all rooms, and keys
	After uint64 // a position: only later events
	Live  bool   // fragments and passes too, from now on
}

// backlog is the number of unread events at which a feed ends.
const backlog = 4096

// Events yields the events in the journal, in log order, and then new ones as
// soon as the journal has acknowledged them, until ctx ends or an error is yielded
// last: the cause of ctx's end, [ErrLagged], [ErrClosed], or an error of the journal. Fragments and
// passes have no position and are shown at once, those of an answer before the answer.
func (r *Router) Events(ctx context.Context, from From) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		f := &feed{from: from, news: make(chan struct{}, 1)}
		upTo, err := r.hub.add(f)
		if err != nil {
			yield(events.Event{}, err)
			return
		}
		defer r.hub.remove(f)
		for e, err := range Log(r.opts.Store, from.After) {
			if err == nil && e.Seq > upTo {
				break // the hub has it from here on
			}
			if err == nil && !from.wants(e) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		f.run(ctx, yield)
	}
}

func (from From) wants(e events.Event) bool {
	return (from.Room == "" || e.Room == from.Room) && (!e.Live() || from.Live) && (e.Live() || e.Seq > from.After)
}

// A feed has the new events for one reader.
type feed struct {
	from From
	news chan struct{} // signaled when there is something to read

	mu     sync.Mutex // protects the fields below
	unread []events.Event
	err    error
}

func (f *feed) put(e events.Event) {
	if !f.from.wants(e) {
		return
	}
	f.mu.Lock()
	switch {
	case f.err != nil:
	case len(f.unread) < backlog:
		f.unread = append(f.unread, e)
	case !e.Live():
		f.err = ErrLagged
	}
	f.mu.Unlock()
	f.wake()
}

func (f *feed) end(err error) {
	f.mu.Lock()
	if f.err == nil {
		f.err = err
	}
	f.mu.Unlock()
	f.wake()
}

func (f *feed) wake() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

func (f *feed) take() ([]events.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.unread
	f.unread = nil
	if len(all) > 0 {
		return all, nil
	}
	return nil, f.err
}

func (f *feed) run(ctx context.Context, yield func(events.Event, error) bool) {
	for {
		all, err := f.take()
		for _, e := range all {
			if ctx.Err() != nil {
				break
			}
			if !yield(e, nil) {
				return
			}
		}
		if err == nil && len(all) > 0 && ctx.Err() == nil {
			continue
		}
		if err == nil {
			select {
			case <-f.news:
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		yield(events.Event{}, err)
		return
	}
}

// A hub passes events to feeds: those of the log when the journal has acknowledged them.
type hub struct {
	router *Router
	log    *bus.Subscription
	ended  chan struct{}

	mu    sync.Mutex // protects the fields below
	feeds map[*feed]bool
	last  uint64        // position up to which the log was passed on
	live  []placedEvent // events that wait for the log before them, oldest first
	err   error
}

// A placedEvent is a live event with the position behind which it is shown.
type placedEvent struct {
	after uint64
	event events.Event
}

func newHub(r *Router) (*hub, error) {
	log, err := r.bus.System().Subscribe(bus.SubscribeOptions{Kinds: roomlog.Kinds(), Backlog: 1 << 30})
	if err != nil {
		return nil, err
	}
	h := &hub{router: r, log: log, ended: make(chan struct{}), feeds: map[*feed]bool{}, last: r.bus.Last()}
	go h.run()
	return h, nil
}

func (h *hub) run() {
	defer close(h.ended)
	batch := make([]signals.Any, 256)
	for {
		n, err := h.log.Read(context.Background(), batch)
		if err == nil {
			err = h.router.writer.Sync(context.Background(), batch[n-1].Head().Seq)
		}
		if err != nil {
			if errors.Is(err, bus.ErrClosed) {
				err = ErrClosed
			}
			h.stop(err)
			h.router.broken(context.Background(), err) // begin no more turns, whose calls could not be recorded
			return
		}
		for _, s := range batch[:n] {
			h.pass(s)
		}
	}
}

// pass passes the next signal of the log on, and the live events behind it.
func (h *hub) pass(s signals.Any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = s.Head().Seq
	if e, ok := events.Of(s); ok {
		h.putLocked(e)
	}
	h.flushLocked()
}

// show passes a live event on once the events before it in the log have been passed on.
func (h *hub) show(after uint64, e events.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live = append(h.live, placedEvent{after, e})
	h.flushLocked()
}

func (h *hub) flushLocked() {
	for len(h.live) > 0 && h.live[0].after <= h.last {
		h.putLocked(h.live[0].event)
		h.live = h.live[1:]
	}
}

func (h *hub) putLocked(e events.Event) {
	for f := range h.feeds {
		f.put(e)
	}
}

func (h *hub) add(f *feed) (upTo uint64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.feeds[f] = true
	}
	return h.last, h.err
}

func (h *hub) remove(f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.feeds, f)
}

func (h *hub) stop(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
	for f := range h.feeds {
		f.end(err)
	}
}

func (h *hub) close() {
	h.log.Close()
	<-h.ended
}
