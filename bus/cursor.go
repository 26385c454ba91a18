package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A cursor is a place in the log and what its reader wants. It keeps what is
// behind it alive by pointing at it, so that a publisher has nothing to do
// for it.
type cursor struct {
	options *SubscribeOptions
	own     []signals.Any // older than pos: rescued from the log, or given back
	ownDue  []int64
	chunk   *chunk
	pos     uint64 // of the next entry to look at
	matched uint64 // entries before pos that the reader wants

	born   uint64 // what is before that and was due at bornAt is not wanted
	bornAt int64
	kinds  [others + 1]wanted // by the ids of lanes
}

// wanted is what a cursor knows of a lane.
type wanted uint8

const (
	unknown wanted = iota // for others, always
	yes
	no
)

// step returns the next entry before limit, where the cursor then stands
// behind.
func (c *cursor) step(limit uint64) (*chunk, int, bool) {
	if c.pos >= limit {
		return nil, 0, false
	}
	if c.pos == c.chunk.start+slots {
		c.chunk = c.chunk.next
	}
	i := int(c.pos % slots)
	c.pos++
	return c.chunk, i, true
}

// match finds the next entry before limit that the reader wants.
func (c *cursor) match(limit uint64) (*chunk, int, bool) {
	for {
		chunk, i, ok := c.step(limit)
		if !ok {
			return nil, 0, false
		}
		if c.wants(chunk, i) {
			c.matched++
			return chunk, i, true
		}
	}
}

func (c *cursor) wants(chunk *chunk, i int) bool {
	if chunk.start+uint64(i) < c.born && chunk.due[i] < c.bornAt {
		return false // its page may be gone
	}
	if c.options.Kinds != nil {
		know := c.kinds[chunk.lane[i]]
		if know == no || know == unknown && !c.wantsLane(chunk.segment[i].shelf.lane) {
			return false
		}
	}
	if c.options.Threads == nil && chunk.flags[i]&private == 0 {
		return true
	}
	h := chunk.head(i)
	return c.options.wants(h.Thread, h.Recipients)
}

func (c *cursor) wantsLane(l *lane) bool {
	wants := slices.Contains(c.options.Kinds, l.kind)
	switch {
	case l.id == others:
	case wants:
		c.kinds[l.id] = yes
	default:
		c.kinds[l.id] = no
	}
	return wants
}

func (o *SubscribeOptions) wants(thread string, r signals.Recipients) bool {
	return (r.Include(o.Agent) || o.Agent == System) && (o.Threads == nil || slices.Contains(o.Threads, thread))
}

// clear lets go of the log.
func (c *cursor) clear() { c.chunk, c.own, c.ownDue = nil, nil, nil }
