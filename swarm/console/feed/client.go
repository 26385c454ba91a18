package feed

import (
	"encoding/json"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A Client is one reader of the feed.
type Client struct {
	hub    *Hub
	user   string
	number uint64
	typ    string
	since  time.Time
	bound  int           // of the queue
	bytes  int           // of the queue
	wake   chan struct{} // something is queued, or the feed ended

	mu      sync.Mutex // protects the fields below; taken after that of the hub
	filter  *filter    // nil: it has not subscribed
	queue   []*message
	size    int               // of the queue, in bytes
	cursor  map[string]uint64 // positions up to which signals have been sent, or were not asked for
	resync  *api.Frame        // to send before the queue
	sent    uint64
	resyncs uint64
	ended   bool
}

// offer queues a frame that the client subscribes to. The hub is locked.
func (c *Client) offer(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.filter.selects(m) {
		return
	}
	if len(c.queue) >= c.bound || c.size+len(m.text) > c.bytes && len(c.queue) > 0 {
		c.resyncLocked("the client did not keep up", c.hub.cursorLocked())
		return // the frame is before the cursor
	}
	c.queueLocked(m)
	c.signal()
}

func (c *Client) queueLocked(m *message) {
	c.queue, c.size = append(c.queue, m), c.size+len(m.text)
}

// resyncLocked makes the client continue from the cursor, without the frames queued before it.
func (c *Client) resyncLocked(reason string, cursor map[string]uint64) {
	c.queue, c.size = nil, 0
	c.resync = &api.Frame{Type: api.FrameResync, Reason: reason, Cursor: cursor}
	c.resyncs++
	c.signal()
}

func (c *Client) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.signal()
}

// What is sent at once: whole frames, in order.
const (
	batch      = 256
	batchBytes = 1 << 20 // and the frame that goes beyond it
)

// take returns frames to send, at most a batch, and whether the feed continues.
func (c *Client) take() (all []*message, goesOn bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, false
	}
	if c.resync != nil {
		text, _ := json.Marshal(c.resync) // has no member that cannot be encoded
		all = append(all, &message{text: text, cursor: c.resync.Cursor})
		c.cursor, c.resync = maps.Clone(c.resync.Cursor), nil
	}
	n := 0
	for most := c.size - batchBytes; n < min(batch, len(c.queue)) && (n == 0 || c.size > most); n++ {
		c.size -= len(c.queue[n].text)
	}
	all = append(all, c.queue[:n]...)
	if c.queue = c.queue[n:]; len(c.queue) == 0 {
		c.queue = nil
	} else {
		c.signal()
	}
	for _, m := range all {
		if m.seq > 0 {
			c.cursor[m.log] = m.seq
		}
	}
	c.sent += uint64(len(all))
	return all, true
}

// alive returns a frame with the cursor, which is at the end of all logs if nothing waits.
func (c *Client) alive() api.Frame {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 && c.resync == nil {
		c.cursor = c.hub.cursorLocked()
	}
	return api.Frame{Type: api.FrameAlive, Cursor: maps.Clone(c.cursor)}
}

func (c *Client) position() map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.cursor)
}

func (c *Client) health() api.FeedClient {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := api.FeedClient{
		ID: strconv.FormatUint(c.number, 10), Type: c.typ, Since: c.since, Queue: len(c.queue), Sent: c.sent, Resyncs: c.resyncs,
		Slow: len(c.queue) > c.bound/2, Filter: "everything",
	}
	if c.filter != nil && c.filter.text != "" {
		of.Filter = c.filter.text
	}
	return of
}
