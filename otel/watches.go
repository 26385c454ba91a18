package otel

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// watches holds the buses that an observer watches.
type watches struct {
	mu     sync.RWMutex // protects the fields below
	all    map[*watch]bool
	gauges metric.Registration // nil if no bus is watched
}

// ErrWatched is returned for a bus that the observer watches already: everything
// would be recorded twice.
var ErrWatched = errors.New("otel: the bus is watched already")

// enter adds a watch. The first one registers the gauges, which are sums over
// all buses.
func (o *Observer) enter(w *watch) error {
	o.watches.mu.Lock()
	defer o.watches.mu.Unlock()
	for other := range o.watches.all {
		if other.bus == w.bus {
			return ErrWatched
		}
	}
	if o.watches.gauges == nil {
		r, err := o.meters.gauges(o.totals)
		if err != nil {
			return err
		}
		o.watches.gauges = r
	}
	if o.watches.all == nil {
		o.watches.all = map[*watch]bool{}
	}
	o.watches.all[w] = true
	return nil
}

func (o *Observer) leave(w *watch) {
	o.watches.mu.Lock()
	defer o.watches.mu.Unlock()
	delete(o.watches.all, w)
	if len(o.watches.all) == 0 && o.watches.gauges != nil {
		_ = o.watches.gauges.Unregister()
		o.watches.gauges = nil
	}
}

// each calls f for each watch.
func (o *Observer) each(f func(*watch)) {
	o.watches.mu.RLock()
	defer o.watches.mu.RUnlock()
	for w := range o.watches.all {
		f(w)
	}
}

// totals returns the sums of the backlogs and open conflicts of all buses.
func (o *Observer) totals(context.Context) (backlog, conflicts int64) {
	o.each(func(w *watch) {
		s := w.bus.Stats()
		backlog += int64(s.Account.Pending)
		conflicts += int64(s.Conflicts.Open)
	})
	return backlog, conflicts
}

// Flush ends the spans of publishes that still wait for their deliveries. A
// program that ends calls it, or the functions that [Observer.Watch] returned,
// before its exporter ends.
func (o *Observer) Flush() {
	o.each(func(w *watch) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.rows.closeAll()
	})
}

// over ends a solve; d is nil if there is no decision.
func (o *Observer) over(s *solving, d *consensus.Decision) {
	o.solves.end(s)
	o.each(func(w *watch) { w.over(s, d) })
	s.end()
}

// where returns the span of a signal's publish if a watch knows it, and
// otherwise the span that the signal was emitted in. Signals of swarms with the
// same seed have the same ids: the publish must be in the trace of the signal, or
// in that of the asking span if the signal has none, and preferably on the bus
// of the asking solve.
func (o *Observer) where(s signals.Any, in trace.SpanContext, asks *solving) trace.SpanContext {
	h := s.Head()
	found := ToSpan(h.Trace)
	of := in.TraceID()
	if found.IsValid() {
		of = found.TraceID()
	}
	own := false
	o.each(func(w *watch) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if at := w.places.of(h.ID).span; !own && at.IsValid() && at.TraceID() == of {
			found, own = at, asks != nil && w.rows.running[h.Thread] == asks
		}
	})
	return found
}
