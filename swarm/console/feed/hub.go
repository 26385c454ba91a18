package feed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// ErrFull is returned to a client beyond the limits.
var ErrFull = errors.New("feed: too many connections")

const (
	keepBytes = 8 << 20         // of the frames that are kept of a log
	every     = 5 * time.Second // between alive frames: a page takes a server for hung that misses two
)

// Options of a [Hub]. The zero value means the defaults.
type Options struct {
	Queue   int           // frames that wait for a client; 0 means 2048
	Bytes   int           // of these, their bytes; 0 means 16 MiB
	Keep    int           // newest frames of each log; 0 means 4096
	Clients int           // at most; 0 means 4096
	PerUser int           // of one session or address; 0 means 32
	Write   time.Duration // longest write; 0 means 10s
	Boot    string        // changes when the server starts again
}

func (o Options) defaults() Options {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&o.Queue, 2048)
	set(&o.Bytes, 16<<20)
	set(&o.Keep, 4096)
	set(&o.Clients, 4096)
	set(&o.PerUser, 32)
	o.Write = cmp.Or(o.Write, 10*time.Second)
	return o
}

// A Hub passes frames to clients. Its methods may be called concurrently. Make one with
// [New].
type Hub struct {
	o Options

	mu      sync.Mutex // protects the fields below
	logs    map[string]*ring
	held    map[string]chan struct{} // by log: closed when it is released
	clients map[*Client]struct{}
	users   map[string]int
	next    uint64 // number of the next client
	frames  uint64 // sent by clients that are gone
	resyncs uint64
	closed  bool
}

// New returns a hub without clients.
func New(o Options) *Hub {
	return &Hub{o: o.defaults(), logs: map[string]*ring{}, held: map[string]chan struct{}{}, clients: map[*Client]struct{}{}, users: map[string]int{}}
}

// A message is an encoded frame with what clients select by.
type message struct {
	text                          []byte
	typ, log, kind, solve, inRoom string
	seq                           uint64
	cursor                        map[string]uint64 // of a frame that has one; never modified
}

// Publish queues a frame for the clients that subscribe to it. Frames of a log with
// positions must come in their order. It waits for no client.
func (h *Hub) Publish(f api.Frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	m := &message{text: text, typ: f.Type, log: f.Log, kind: f.Kind, inRoom: f.Room, seq: f.Seq}
	if f.Solve != nil {
		m.solve = f.Solve.ID
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.seq > 0 {
		h.ringOf(m.log).add(m, h.o)
	}
	if h.held[m.log] != nil {
		return nil
	}
	for c := range h.clients {
		c.offer(m)
	}
	return nil
}

// Hold holds a log back while its past is read: its frames are kept, and a client that
// continues after a position of it waits. release ends that, and resyncs the clients that
// came meanwhile.
func (h *Hub) Hold(log string) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := make(chan struct{})
	h.held[log] = held
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.held, log)
		close(held)
		for c := range h.clients {
			c.mu.Lock()
			if c.filter != nil { // else it waits for this
				c.resyncLocked("the past of "+log+" has been read", h.cursorLocked())
			}
			c.mu.Unlock()
		}
	})
}

// released waits until none of these logs is held back.
func (h *Hub) released(ctx context.Context, after map[string]uint64) {
	for log := range after {
		h.mu.Lock()
		held := h.held[log]
		h.mu.Unlock()
		if held == nil {
			continue
		}
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
}

// At records that a log has been shown up to a position, before its first frame or if its
// newest signals have none.
func (h *Hub) At(log string, seq uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ringOf(log)
	r.last = max(r.last, seq)
	if len(r.kept) == 0 {
		r.from = r.last
	}
}

func (h *Hub) ringOf(log string) *ring {
	r := h.logs[log]
	if r == nil {
		r = &ring{}
		h.logs[log] = r
	}
	return r
}

// Cursor returns the position of each log.
func (h *Hub) Cursor() map[string]uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cursorLocked()
}

func (h *Hub) cursorLocked() map[string]uint64 {
	all := make(map[string]uint64, len(h.logs))
	for name, r := range h.logs {
		all[name] = r.last
	}
	return all
}

// Join returns a client of a user, up to a limit of clients per user. The caller calls Leave.
func (h *Hub) Join(user, typ string, now time.Time) (*Client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.clients) >= h.o.Clients || h.users[user] >= h.o.PerUser {
		return nil, ErrFull
	}
	h.next++
	h.users[user]++
	c := &Client{hub: h, user: user, number: h.next, typ: typ, since: now, wake: make(chan struct{}, 1), bound: h.o.Queue, bytes: h.o.Bytes}
	h.clients[c] = struct{}{}
	return c, nil
}

// Leave ends a client.
func (h *Hub) Leave(c *Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, joined := h.clients[c]; !joined {
		return
	}
	delete(h.clients, c)
	if h.users[c.user]--; h.users[c.user] == 0 {
		delete(h.users, c.user)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h.frames, h.resyncs = h.frames+c.sent, h.resyncs+c.resyncs
}

// Close ends all clients, and refuses others.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for c := range h.clients {
		c.end()
	}
}

// Subscribe sets the frames that a client gets from now on, and queues those that it has
// missed after the positions given.
func (h *Hub) Subscribe(c *Client, s api.Subscription, after map[string]uint64) {
	f := newFilter(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filter, c.queue, c.size, c.cursor = f, nil, 0, h.cursorLocked()
	defer c.signal()
	if c.resync != nil { // its resync frame is not sent yet
		c.resync.Cursor = h.cursorLocked()
		return
	}
	for _, log := range slices.Sorted(maps.Keys(after)) {
		r := h.logs[log]
		if r == nil {
			continue // of a run that is gone
		}
		missed, whole := r.after(after[log])
		if !whole {
			c.resyncLocked(fmt.Sprintf("positions after %d of %s are no longer kept", after[log], log), h.cursorLocked())
			return // what others have missed is before that cursor, too
		}
		c.cursor[log] = after[log]
		for _, m := range missed {
			if f.selects(m) {
				c.queueLocked(m)
			}
		}
	}
}

// Health returns the state of the clients.
func (h *Hub) Health() api.FeedHealth {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := api.FeedHealth{Clients: []api.FeedClient{}, Frames: h.frames, Resyncs: h.resyncs}
	for c := range h.clients {
		one := c.health()
		of.Frames, of.Resyncs = of.Frames+one.Sent, of.Resyncs+one.Resyncs
		of.Clients = append(of.Clients, one)
	}
	slices.SortFunc(of.Clients, func(a, b api.FeedClient) int { return a.Since.Compare(b.Since) })
	return of
}
