package otel

import (
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/signals"
)

// maxPlaces is the number of signals of one bus that are remembered, and
// maxThreads the number of threads: as many signals as a subscription keeps for
// a slow reader.
const (
	maxPlaces  = 1 << 16
	maxThreads = 1 << 12
)

// A place is the span and time at which a signal was published, and the name by
// which others refer to it.
type place struct {
	span   trace.SpanContext // not valid if the signal was fed
	at     time.Time
	seq    uint64
	kind   string
	source string
}

// recent is a map that forgets the oldest entries beyond its bound.
type recent[K comparable, V any] struct {
	most    int
	entries map[K]V
	order   []K // a ring once it is full
	oldest  int
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, entries: map[K]V{}}
}

// add remembers v, unless k is known, and returns the key evicted for it.
func (r *recent[K, V]) add(k K, v V) (forgotten K) {
	if _, known := r.entries[k]; known {
		return forgotten
	}
	r.entries[k] = v
	if len(r.order) < r.most {
		r.order = append(r.order, k)
		return forgotten
	}
	forgotten = r.order[r.oldest]
	delete(r.entries, forgotten)
	r.order[r.oldest] = k
	r.oldest = (r.oldest + 1) % r.most
	return forgotten
}

// places holds where the latest signals of one bus were published, and where
// the latest threads began.
type places struct {
	signals *recent[signals.ID, place]
	threads *recent[string, trace.SpanContext]
}

func newPlaces() *places {
	return &places{newRecent[signals.ID, place](maxPlaces), newRecent[string, trace.SpanContext](maxThreads)}
}

func (p *places) of(id signals.ID) place { return p.signals.entries[id] }

// parent returns the parent of a publish: the trace context of the signal, or
// else that of the signal it answers, or else that of the first signal of its
// thread. So a thread is one trace, whichever of its signals are traced.
func (p *places) parent(h *signals.Header) trace.SpanContext {
	if h.Trace != nil {
		return ToSpan(h.Trace)
	}
	if answered := p.of(h.ReplyTo).span; answered.IsValid() {
		return answered
	}
	return p.threads.entries[h.Thread]
}

// remember keeps where a signal was published, and returns the id of the one
// that is forgotten for it.
func (p *places) remember(h *signals.Header, kind string, span trace.SpanContext, at time.Time) (forgotten signals.ID) {
	if span.IsValid() {
		p.threads.add(h.Thread, span)
	}
	return p.signals.add(h.ID, place{span, at, h.Seq, kind, h.Source})
}
