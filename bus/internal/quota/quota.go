// Package quota tracks how much of their limits agents have used. It is pure: the
// time is a parameter.
package quota

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Quota holds what every agent has used. Make one with [New].
type Quota struct {
	rate, burst float64
	capacity    int // bytes of text in the history; 0: no limit
	buckets     map[string]*bucket
	bytes       map[string]int
}

// A bucket is a token bucket: how much an agent may still publish at once.
type bucket struct {
	tokens float64
	at     int64
}

// New returns a quota of rate signals a second, burst at once, and capacity bytes
// of text in the history for each agent; a rate or capacity of 0 is no limit.
func New(rate float64, burst, capacity int) *Quota {
	return &Quota{rate, float64(burst), capacity, map[string]*bucket{}, map[string]int{}}
}

// Limits reports whether there is any limit.
func (q *Quota) Limits() bool { return q.rate > 0 || q.capacity > 0 }

// Bytes reports whether texts are limited.
func (q *Quota) Bytes() bool { return q.capacity > 0 }

// Charge takes n signals with that many bytes from an agent's limits at now. If
// they do not fit, it takes nothing and returns the problem, and after how long
// there may be room again if that is known.
func (q *Quota) Charge(agent string, n float64, bytes int, now int64) (problem string, retry time.Duration) {
	if held := q.bytes[agent] + bytes; q.capacity > 0 && held > q.capacity {
		return fmt.Sprintf("%d bytes of text in the history, more than %d", held, q.capacity), 0
	}
	if q.rate <= 0 {
		return "", 0
	}
	k := q.bucket(agent, now)
	if k.tokens >= n {
		k.tokens -= n
		return "", 0
	}
	if n <= q.burst {
		retry = time.Duration(min((n-k.tokens)/q.rate*1e9, math.MaxInt64/2))
	}
	return fmt.Sprintf("more than %v signals a second", q.rate), retry
}

// Refund gives n signals back to an agent.
func (q *Quota) Refund(agent string, n float64) {
	if k := q.buckets[agent]; k != nil {
		k.tokens += n
	}
}

// bucket returns the agent's bucket, refilled up to now.
func (q *Quota) bucket(agent string, now int64) *bucket {
	k := q.buckets[agent]
	if k == nil {
		k = &bucket{q.burst, now}
		q.buckets[agent] = k
	}
	k.tokens = min(q.burst, k.tokens+q.rate*float64(now-k.at)/1e9)
	k.at = now
	return k
}

// ForgetIdle removes the buckets that are full again.
func (q *Quota) ForgetIdle(now int64) {
	for agent := range q.buckets {
		if q.bucket(agent, now).tokens >= q.burst {
			delete(q.buckets, agent)
		}
	}
}

// Held counts the texts of a signal that entered the history.
func (q *Quota) Held(source string, s signals.Any) {
	if q.capacity > 0 {
		q.bytes[source] += Size(s)
	}
}

// Lost counts the texts of a signal that left the history.
func (q *Quota) Lost(source string, s signals.Any) {
	if q.capacity == 0 {
		return
	}
	if q.bytes[source] -= Size(s); q.bytes[source] <= 0 {
		delete(q.bytes, source)
	}
}

// Size returns the length of a signal's texts and bytes: those of its payload and the
// names of its recipients, but not what is behind pointers. It reads them in place:
// Body would copy them to the heap.
func Size(s signals.Any) int {
	v := reflect.ValueOf(s).Elem()
	return textIn(v.Field(0).FieldByIndex(recipients.Index).Field(0).Elem()) + textIn(v.Field(1))
}

var recipients, _ = reflect.TypeFor[signals.Header]().FieldByName("Recipients")

func textIn(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Interface:
		return textIn(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			n += textIn(v.Field(i))
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			n += textIn(each.Key()) + textIn(each.Value())
		}
	case reflect.Array, reflect.Slice:
		switch of := v.Type().Elem().Kind(); {
		case of == reflect.Uint8:
			return v.Len()
		case of < reflect.Array: // numbers
			return 0
		}
		for i := range v.Len() {
			n += textIn(v.Index(i))
		}
	}
	return n
}
