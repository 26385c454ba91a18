package keep

import (
	"sync/atomic"
	"time"
)

// A Clock gives the times of a run's signals: those of a given clock, which it may
// advance, or those of the machine. It may be used concurrently.
type Clock struct {
	given  func() time.Time // nil: time.Now
	waited atomic.Int64     // nanoseconds by which the given clock has been advanced
	latest atomic.Int64     // latest time read from the given clock, or seen
}

// NewClock returns a clock that reads the given one, or the machine's for nil.
func NewClock(given func() time.Time) *Clock { return &Clock{given: given} }

// Now returns the time of the next signal.
func (c *Clock) Now() time.Time {
	if c.given == nil {
		return time.Now()
	}
	t := c.given().Add(time.Duration(c.waited.Load()))
	c.latest.Store(t.UnixNano())
	return t
}

// Advance ensures that the given clock has reached a time: one for which a solve has
// waited, or that of a log which continues.
func (c *Clock) Advance(to time.Time) {
	if c.given == nil {
		return
	}
	if behind := to.Sub(c.Now()); behind > 0 {
		c.waited.Add(int64(behind))
	}
}

// Saw says that a log has a time.
func (c *Clock) Saw(at time.Time) { c.latest.Store(max(c.latest.Load(), at.UnixNano())) }

// Latest returns the latest time in nanoseconds that was read from the given clock or
// seen.
func (c *Clock) Latest() int64 { return c.latest.Load() }

// Last returns the latest time without reading the given clock: only commits advance
// that, so that readers cannot affect the log.
func (c *Clock) Last() time.Time {
	if c.given == nil {
		return time.Now()
	}
	return time.Unix(0, c.latest.Load()).UTC()
}
