package otel

import (
	"context"
	"errors"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// watches are the buses that an observer watches.
type watches struct {
	mu     sync.RWMutex // protects the fields below
	all    map[*watch]bool
	gauges metric.Registration // nil: no bus is watched
}

// solves are those that run: more than one of a key are of swarms with the
// same seed inside of one trace. The zero value is ready.
type solves struct {
	mu   sync.Mutex            // protects runs; nothing else is locked under it
	runs map[solveKey][]string // names of the swarms
}

func (s *solves) begin(k solveKey, swarm string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[solveKey][]string{}
	}
	s.runs[k] = append(s.runs[k], swarm)
}

func (s *solves) end(k solveKey, swarm string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.runs[k]
	if i := slices.Index(all, swarm); i >= 0 {
		s.runs[k] = slices.Delete(all, i, i+1)
	}
	if len(s.runs[k]) == 0 {
		delete(s.runs, k)
	}
}

// running reports whether a solve runs, and of which swarm, "" if that cannot
// be told.
func (s *solves) running(k solveKey) (swarm string, runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.runs[k]
	if len(all) == 1 {
		swarm = all[0]
	}
	return swarm, len(all) > 0
}

// ErrWatched says that an observer watches the bus already: everything would be
// recorded twice.
var ErrWatched = errors.New("otel: the bus is watched already")

// enter adds a watch. The first one brings the gauges along, which add up over
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

// totals adds up the backlogs and the open conflicts of all buses.
func (o *Observer) totals(context.Context) (backlog, conflicts int64) {
	o.each(func(w *watch) {
		s := w.bus.Stats()
		backlog += int64(s.Books.Pending)
		conflicts += int64(s.OpenConflicts)
	})
	return backlog, conflicts
}

// Flush closes the spans of publishes that still wait for their deliveries. A
// program that ends calls it, or the functions that [Observer.Watch] returned,
// before its exporter ends.
func (o *Observer) Flush() {
	o.each(func(w *watch) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.rows.closeAll()
	})
}

// over says that a swarm's solve is over, with what decision.
func (o *Observer) over(solve solveKey, swarm string, d *consensus.Decision) {
	o.solves.end(solve, swarm)
	o.each(func(w *watch) { w.over(solve, d) })
}

// where returns where a signal was published, as far as a watch knows, and
// otherwise where it was said. in is where it is asked from: signals of other
// traces may have the same id, of swarms with the same seed.
func (o *Observer) where(s signals.Any, in trace.SpanContext) trace.SpanContext {
	h := s.Head()
	said := ToSpan(h.Trace)
	if said.IsValid() {
		in = said
	}
	found := said
	o.each(func(w *watch) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if at := w.places.of(h.ID).span; at.IsValid() && at.TraceID() == in.TraceID() {
			found = at
		}
	})
	return found
}
