package bus

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A quota holds how much of their limits agents have used. It is pure: the time is a
// parameter. Make one with newQuota.
type quota struct {
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

// limits reports whether there is any limit.
func (q *quota) limits() bool { return q.rate > 0 || q.capacity > 0 }

// limitsBytes reports whether texts are limited.
func (q *quota) limitsBytes() bool { return q.capacity > 0 }

// take takes n signals with that many bytes from an agent's limits at now. If
// they do not fit, it takes nothing and returns the problem, and after how long
// there may be room again if that is known.
func (q *quota) take(agent string, n float64, bytes int, now int64) (problem string, retry time.Duration) {
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

// refund gives n signals back to an agent.
func (q *quota) refund(agent string, n float64) {
	if k := q.buckets[agent]; k != nil {
		k.tokens += n
	}
}

// bucket returns the agent's bucket, refilled up to now.
func (q *quota) bucket(agent string, now int64) *bucket {
	k := q.buckets[agent]
	if k == nil {
		k = &bucket{q.burst, now}
		q.buckets[agent] = k
	}
	k.tokens = min(q.burst, k.tokens+q.rate*float64(now-k.at)/1e9)
	k.at = now
	return k
}

// forgetIdle removes the buckets that are full again.
func (q *quota) forgetIdle(now int64) {
	for agent := range q.buckets {
		if q.bucket(agent, now).tokens >= q.burst {
			delete(q.buckets, agent)
		}
	}
}

// held counts the texts of a signal that entered the history.
func (q *quota) held(source string, s signals.Any) {
	if q.capacity > 0 {
		q.bytes[source] += textSize(s)
	}
}

// lost counts the texts of a signal that left the history.
func (q *quota) lost(source string, s signals.Any) {
	if q.capacity == 0 {
		return
	}
	if q.bytes[source] -= textSize(s); q.bytes[source] <= 0 {
		delete(q.bytes, source)
	}
}

// textSize returns the length of a signal's texts and bytes: those of its payload and the
// names of its recipients, but not what is behind pointers. It reads them in place:
// Body would copy them to the heap.
func textSize(s signals.Any) int {
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
