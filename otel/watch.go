package otel

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// A watch receives the events of one bus, one at a time.
type watch struct {
	*Observer
	bus    *bus.Bus
	labels map[signals.Kind]*labels
	others *labels

	mu      sync.Mutex // protects the fields below, which solves and turns also read
	places  *places
	rows    *rows
	stopped bool
}

// Watch records what happens on a bus from now on, until stop is called: a span
// for each signal published, inside the span that it was emitted in, with the
// results of its deliveries. A delivery that failed, or that came after the span
// had ended, has a span of its own. stop ends the spans of publishes that are
// still open; without it they end a second after the publish, or after their
// solve. A signal that entered the bus through [bus.Bus.Feed] has no span, because it was
// published earlier, or elsewhere, unless it is part of a solve that this observer sees: then
// several processes have the log in common, and that one drives the solve.
//
// A bus that is watched already is refused with [ErrWatched] until stop is
// called. Otherwise the error is the meter provider's.
func (o *Observer) Watch(b *bus.Bus) (stop func(), err error) {
	w := &watch{Observer: o, bus: b, labels: map[signals.Kind]*labels{}, others: newLabels(other), places: newPlaces(), rows: newRows()}
	if err := o.enter(w); err != nil {
		return nil, err
	}
	unwatch := b.Observe(w.see)
	return func() { unwatch(); w.flush(true); o.leave(w) }, nil
}

func (w *watch) see(e bus.Event) {
	switch e := e.(type) {
	case bus.Published:
		w.published(&e)
	case bus.Settled:
		w.settled(&e)
	case bus.Slow:
		w.log.LogAttrs(context.Background(), slog.LevelWarn, "slow reader",
			slog.String("reader", e.Reader), slog.String("site", e.Site), slog.Duration("took", e.Took), slog.Int("pending", e.Pending))
	case bus.Missed:
		w.log.LogAttrs(context.Background(), slog.LevelWarn, "events missed: spans and counts lack them", slog.Uint64("events", e.Events))
	case bus.Expired, bus.Evicted, bus.ConflictOpened, bus.ConflictEnded:
		// They are part of the bus's counts, or signals of their own.
	}
}

// The kinds of the spans of publishes and deliveries.
var (
	producer = trace.WithSpanKind(trace.SpanKindProducer)
	consumer = trace.WithSpanKind(trace.SpanKindConsumer)
)

func (w *watch) published(e *bus.Published) {
	s := e.Signal
	h, l := s.Head(), w.labelsOf(s.Kind())
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.solveOf(&h)
	if e.Fed && of == nil {
		w.rows.close(w.places.remember(&h, l.kind, trace.SpanContext{}, time.Now()))
		return
	}
	parent, answered := w.places.parent(&h), w.places.of(h.ReplyTo)
	ctx, span := w.tracer.Start(under(parent), l.publish, producer)
	w.meters.sent(ctx, l)
	at, now := span.SpanContext(), time.Now()
	w.rows.close(w.places.remember(&h, l.kind, at, now))
	if !span.IsRecording() {
		span.End()
		return
	}
	if answered.span.SpanID() != parent.SpanID() {
		link(span, linkReply, answered.span)
	}
	about := w.about(w.message(publishName, publishType, l.kind, &h, at), s, &h, answered)
	if of != nil {
		about = append(about, keyWorkflow.String(of.swarm))
	}
	w.rows.add(h.ID, &row{span: span, about: about, signal: s, done: time.Now(), inside: of != nil}, of, now)
	w.wakeLocked()
}

// solveOf returns the running solve that a signal is part of, or nil. A signal
// of the bus itself has no trace context: its thread decides, because a bus has
// only one running solve of each thread.
func (w *watch) solveOf(h *signals.Header) *solving {
	if h.Trace != nil {
		if of := w.solves.find(h.Trace.SpanID); of != nil {
			w.rows.running[of.thread] = of
			return of
		}
	}
	return w.rows.running[h.Thread]
}

func (w *watch) settled(e *bus.Settled) {
	h, l := e.Signal.Head(), w.labelsOf(e.Signal.Kind())
	w.mu.Lock()
	defer w.mu.Unlock()
	published := w.places.of(h.ID)
	var took time.Duration
	if !published.at.IsZero() {
		took = time.Since(published.at)
	}
	w.meters.settled(context.Background(), l, e.Disposition, took)
	if e.Disposition == bus.DeadClosed {
		return // every solve ends with these
	}
	row := w.rows.byID[h.ID]
	if row != nil {
		row.settled(e, took)
	}
	wrong := e.Disposition != bus.Delivered && e.Disposition != bus.Filtered
	traced := published.span.IsSampled() || published.seq == 0 // not known: published before the watch, or no longer remembered
	late := row == nil && e.Disposition == bus.Delivered && traced
	if wrong || late || w.deliveries && traced {
		w.delivery(e, &h, l, published, late)
	}
}

// delivery records one delivery as a span of its own, which begins with the
// publish.
func (w *watch) delivery(e *bus.Settled, h *signals.Header, l *labels, published place, late bool) {
	origin := ToSpan(h.Trace)
	if !origin.IsValid() {
		origin = published.span
	}
	parent, began := published.span, published.at
	if !parent.IsValid() {
		parent, began = origin, time.Now() // published before the watch, or no longer remembered
	}
	ctx, span := w.tracer.Start(under(parent), l.process, consumer, trace.WithTimestamp(began))
	defer span.End()
	if span.IsRecording() {
		span.SetAttributes(w.message(processName, processType, l.kind, h, span.SpanContext())...)
		span.SetAttributes(keyReader.String(e.Reader), keyFate.String(e.Disposition.String()))
		if late {
			span.SetAttributes(keyBehind.Bool(true))
		}
		link(span, linkOrigin, origin)
	}
	if e.Disposition != bus.Delivered && e.Disposition != bus.Filtered {
		w.died(ctx, span, e)
	}
}

// died records a dead letter.
func (w *watch) died(ctx context.Context, span trace.Span, e *bus.Settled) {
	disposition := e.Disposition.String()
	sort, text, why := disposition, disposition, ""
	if e.Err != nil {
		sort = errorType(e.Err)
		text = w.describe(sort, e.Err)
		why = text
		w.panicked(span, e.Err)
	}
	fail(span, sort, text)
	w.log.LogAttrs(ctx, slog.LevelWarn, "dead letter", slog.String("reader", e.Reader), slog.String("disposition", disposition),
		slog.String("kind", w.kind(e.Signal.Kind())), slog.String("error", why))
}

// over makes the rows of a solve due; d is nil if there is no decision.
func (w *watch) over(of *solving, d *consensus.Decision) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows.over(of, d, time.Now())
	w.wakeLocked()
}

// wakeLocked closes the rows that are due and sets the timer for the next one.
func (w *watch) wakeLocked() {
	if w.stopped {
		w.rows.closeAll()
	}
	if w.rows.timer != nil {
		return
	}
	if next := w.rows.closeDue(time.Now()); !next.IsZero() {
		w.rows.timer = time.AfterFunc(time.Until(next), func() { w.flush(false) })
	}
}

// flush closes the rows that are due, or all of them if the watch has stopped.
func (w *watch) flush(all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rows.timer != nil {
		w.rows.timer.Stop()
		w.rows.timer = nil
	}
	w.stopped = w.stopped || all
	w.wakeLocked()
}
