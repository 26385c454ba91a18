package store

import (
	"sync/atomic"
	"time"
)

// A Clock returns the time in nanoseconds since 1970. It never goes back, so that
// what has expired stays expired. One caller at a time may use it, except for
// [Clock.Unlocked]. Make one with [NewClock].
//
// Reading the machine's wall clock takes 43 ns, because it reads two clocks;
// reading the monotonic clock alone takes 23 ns. So the wall clock is read once a
// second, and the monotonic time since then is added; a step of the wall clock is
// noticed up to a second later.
type Clock struct {
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

// NewClock returns a clock that calls read, or reads the machine's if read is nil.
func NewClock(read func() time.Time) *Clock {
	c := &Clock{read: read}
	c.drop()
	return c
}

// Now reads the clock.
func (c *Clock) Now() int64 {
	var t int64
	if c.read != nil {
		t = nanoseconds(c.read())
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

// Last returns what the last Now returned.
func (c *Clock) Last() int64 { return c.last }

// Unlocked returns the machine's time. It may be called concurrently with
// everything; ok is false if the clock is not the machine's.
func (c *Clock) Unlocked() (now int64, ok bool) {
	if c.read != nil {
		return 0, false
	}
	a := c.anchor.Load()
	return max(a.least, a.wall+int64(time.Since(a.base))), true
}

func (c *Clock) drop() *anchor {
	base := time.Now()
	if a := c.anchor.Load(); a != nil { // readers without the lock may have seen that time
		c.last = max(c.last, a.wall+int64(base.Sub(a.base)))
	}
	a := &anchor{base, base.UnixNano(), c.last}
	c.anchor.Store(a)
	return a
}

// Deadline returns the last moment at which a signal has not expired.
func Deadline(at int64, ttl time.Duration) int64 {
	if ttl < 0 || at > forever-int64(ttl) {
		return forever
	}
	return at + int64(ttl)
}
