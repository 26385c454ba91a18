package bus

import (
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus/internal/store"
)

// forever is the deadline of a signal that does not expire.
const forever = store.Forever

// A clock returns the time in nanoseconds since 1970. It never goes back, so that
// what has expired stays expired. The bus's lock protects it.
//
// Reading the machine's wall clock takes 43 ns, because it reads two clocks;
// reading the monotonic clock alone takes 23 ns. So the wall clock is read once a
// second, and the monotonic time since then is added; a step of the wall clock is
// noticed up to a second later.
type clock struct {
	read   func() time.Time // nil: the machine's
	anchor atomic.Pointer[anchor]
	last   int64
}

// An anchor is a reading of both clocks.
type anchor struct {
	base  time.Time
	wall  int64 // base
	least int64 // latest time that the clock had returned before
}

func (c *clock) now() int64 {
	var t int64
	if c.read != nil {
		t = store.Nanoseconds(c.read())
	} else {
		a := c.anchor.Load()
		since := time.Since(a.base)
		if since >= time.Second {
			a, since = c.drop(), 0
		}
		t = a.wall + int64(since)
	}
	c.last = max(c.last, t)
	return c.last
}

func (c *clock) drop() *anchor {
	base := time.Now()
	if a := c.anchor.Load(); a != nil { // readers without the lock may have seen that time
		c.last = max(c.last, a.wall+int64(base.Sub(a.base)))
	}
	a := &anchor{base, base.UnixNano(), c.last}
	c.anchor.Store(a)
	return a
}

// unlocked returns the machine's time. It needs no lock.
func (c *clock) unlocked() int64 {
	a := c.anchor.Load()
	return max(a.least, a.wall+int64(time.Since(a.base)))
}

// deadline returns the last moment at which a signal has not expired.
func deadline(at int64, ttl time.Duration) int64 {
	if ttl < 0 || at > forever-int64(ttl) {
		return forever
	}
	return at + int64(ttl)
}
