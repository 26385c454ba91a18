package bus

import (
	"fmt"
	"reflect"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A bucket is what an agent may still publish at once.
type bucket struct {
	tokens float64
	at     int64
}

// allowRateLocked refuses what is beyond the agent's rate or bytes. The
// system and layers have no limits.
func (b *Bus) allowRateLocked(p *Publisher, ds []draft) error {
	agent := p.agent
	if agent == System || p.layer {
		return nil
	}
	if err := b.allowBytesLocked(agent, ds); err != nil || b.opts.Rate <= 0 {
		return err
	}
	k, now := b.buckets[agent], b.clock.last
	if k == nil {
		k = &bucket{float64(b.opts.Burst), now}
		b.buckets[agent] = k
	}
	return k.take(agent, float64(len(ds)), b.opts.Rate, float64(b.opts.Burst), now)
}

func (k *bucket) take(agent string, n, rate, burst float64, now int64) error {
	k.tokens = min(burst, k.tokens+rate*float64(now-k.at)/1e9)
	k.at = now
	if k.tokens < n {
		wait := time.Duration((n - k.tokens) / rate * 1e9)
		if n > burst {
			wait = 0
		}
		return &LimitError{Agent: agent, Problem: fmt.Sprintf("more than %v signals a second", rate), Retry: wait}
	}
	k.tokens -= n
	return nil
}

func (b *Bus) allowBytesLocked(agent string, ds []draft) error {
	if b.opts.Bytes <= 0 {
		return nil
	}
	held := 0
	if n := b.sources.byText[agent]; n != nil {
		held = n.bytes
	}
	for i := range ds {
		ds[i].bytes = size(ds[i].signal)
		held += ds[i].bytes
	}
	if held > b.opts.Bytes {
		return &LimitError{Agent: agent, Problem: fmt.Sprintf("%d bytes of text in the history, more than %d", held, b.opts.Bytes)}
	}
	return nil
}

// size is the length of a payload's texts. It looks at them where they are:
// Body would copy them to the heap.
func size(s signals.Any) int { return textIn(reflect.ValueOf(s).Elem().FieldByName("Payload")) }

func textIn(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Struct:
		for i := range v.NumField() {
			n += textIn(v.Field(i))
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			n += textIn(v.Index(i))
		}
	}
	return n
}
