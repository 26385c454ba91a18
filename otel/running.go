package otel

import (
	"sync"

	"go.opentelemetry.io/otel/trace"
)

// running holds the running solves by the ids of their spans, because that is
// what the header of a signal has. Trace and thread do not identify a solve:
// swarms with the same seed have the same threads, and may run in one trace. The
// zero value is ready.
type running struct {
	mu  sync.RWMutex // protects the fields below; no other lock is acquired under it
	of  map[trace.SpanID]*solving
	own map[*solving][]trace.SpanID
}

// begin adds a solve with its span.
func (all *running) begin(s *solving, span trace.SpanContext) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.of == nil {
		all.of, all.own = map[trace.SpanID]*solving{}, map[*solving][]trace.SpanID{}
	}
	all.own[s] = []trace.SpanID{}
	all.addLocked(s, span)
}

// add adds a span of a solve, unless the solve is over.
func (all *running) add(s *solving, span trace.SpanContext) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.own[s] != nil {
		all.addLocked(s, span)
	}
}

func (all *running) addLocked(s *solving, span trace.SpanContext) {
	all.of[span.SpanID()] = s
	all.own[s] = append(all.own[s], span.SpanID())
}

func (all *running) end(s *solving) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, id := range all.own[s] {
		delete(all.of, id)
	}
	delete(all.own, s)
}

// find returns the running solve that a span is part of, or nil.
func (all *running) find(id trace.SpanID) *solving {
	all.mu.RLock()
	defer all.mu.RUnlock()
	return all.of[id]
}
