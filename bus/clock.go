package bus

import (
	"math"
	"time"
)

// forever is the deadline of a signal that does not expire.
const forever = math.MaxInt64

// A clock tells the time in nanoseconds since 1970, never less than before:
// what has expired stays expired. Used under the bus's lock.
//
// The machine's wall clock costs two readings (43 ns here), its monotonic one
// a single reading (23 ns). So the wall clock is read once a second and the
// time since added; a step of the wall clock is seen a second later.
type clock struct {
	read func() time.Time // nil: the machine's
	base time.Time
	wall int64 // base
	last int64
}

func (c *clock) now() int64 {
	var t int64
	if c.read != nil {
		t = nanos(c.read())
	} else {
		since := time.Since(c.base)
		if since >= time.Second {
			c.base = time.Now()
			c.wall, since = c.base.UnixNano(), 0
		}
		t = c.wall + int64(since)
	}
	c.last = max(c.last, t)
	return c.last
}

func nanos(t time.Time) int64 {
	switch s := t.Unix(); {
	case s >= math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	case s <= math.MinInt64/int64(time.Second):
		return math.MinInt64
	}
	return t.UnixNano()
}

// deadline is the last moment at which a signal lives.
func deadline(at int64, ttl time.Duration) int64 {
	if ttl < 0 || at > forever-int64(ttl) {
		return forever
	}
	return at + int64(ttl)
}
