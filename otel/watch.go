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

// A watch is one bus as its observer sees it: one event at a time.
type watch struct {
	*Observer
	bus    *bus.Bus
	labels map[signals.Kind]*labels
	others *labels

	mu      sync.Mutex // protects the fields below, which solves and turns ask, too
	places  *places
	rows    *rows
	stopped bool
}

// Watch records what happens on a bus from now on, until stop is called: a
// span for each signal published, inside of where it was said, with what became
// of its deliveries. A delivery that failed, or that came after the span had to
// be closed, has a span of its own. stop closes the spans of publishes that
// still wait; without it they close within a second, or when their solve ends.
// It returns [ErrWatched] until stop is called, and an error if the meter
// provider refuses.
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
		w.published(e.Signal)
	case bus.Settled:
		w.settled(&e)
	case bus.Slow:
		w.log.LogAttrs(context.Background(), slog.LevelWarn, "slow reader",
			slog.String("reader", e.Reader), slog.String("site", e.Site), slog.Duration("took", e.Took), slog.Int("pending", e.Pending))
	case bus.Missed:
		w.log.LogAttrs(context.Background(), slog.LevelWarn, "events missed: spans and counts lack them", slog.Uint64("events", e.Events))
	case bus.Expired, bus.Evicted, bus.ConflictOpened, bus.ConflictEnded:
		// In the bus's counts, or signals of their own.
	}
}

// The kinds of the spans of signals, as options.
var (
	producer = trace.WithSpanKind(trace.SpanKindProducer)
	consumer = trace.WithSpanKind(trace.SpanKindConsumer)
)

func (w *watch) published(s signals.Any) {
	h, l := s.Head(), w.labelsOf(s.Kind())
	w.mu.Lock()
	defer w.mu.Unlock()
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
	about := w.about(message(publishName, publishType, l.kind, &h, at), s, &h, answered)
	solve := solveKey{at.TraceID(), h.Thread}
	swarm, running := w.solves.running(solve)
	if swarm != "" {
		about = append(about, keyWorkflow.String(swarm))
	}
	w.rows.add(h.ID, &row{span: span, about: about, signal: s, done: time.Now(), solve: solve, waits: running}, running, now)
	w.wakeLocked()
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
	w.meters.settled(context.Background(), l, e.Fate, took)
	if e.Fate == bus.DeadClosed {
		return // how readers end, after every solve: counted and no more
	}
	row := w.rows.byID[h.ID]
	if row != nil {
		row.settled(e, took)
	}
	wrong := e.Fate != bus.Delivered && e.Fate != bus.Filtered
	late := row == nil && e.Fate == bus.Delivered && (published.span.IsSampled() || !published.span.IsValid())
	if wrong || late || w.deliveries {
		w.delivery(e, &h, l, published, late)
	}
}

// delivery records one delivery as a span of its own, from the publish on.
func (w *watch) delivery(e *bus.Settled, h *signals.Header, l *labels, published place, late bool) {
	origin := ToSpan(h.Trace)
	if !origin.IsValid() {
		origin = published.span
	}
	parent, began := published.span, published.at
	if !parent.IsValid() {
		parent, began = origin, time.Now() // published before the watch, or long ago
	}
	ctx, span := w.tracer.Start(under(parent), l.process, consumer, trace.WithTimestamp(began))
	defer span.End()
	if span.IsRecording() {
		span.SetAttributes(message(processName, processType, l.kind, h, span.SpanContext())...)
		span.SetAttributes(keyReader.String(e.Reader), keyFate.String(e.Fate.String()))
		if late {
			span.SetAttributes(keyBehind.Bool(true))
		}
		link(span, linkOrigin, origin) // without an origin it is a root, and has none
	}
	if e.Fate != bus.Delivered && e.Fate != bus.Filtered {
		w.died(ctx, span, e)
	}
}

// died records a dead letter.
func (w *watch) died(ctx context.Context, span trace.Span, e *bus.Settled) {
	fate := e.Fate.String()
	sort, text, why := fate, fate, ""
	if e.Err != nil {
		sort = errorType(e.Err)
		text = w.describe(sort, e.Err)
		why = text
		w.panicked(span, e.Err)
	}
	fail(span, sort, text)
	w.log.LogAttrs(ctx, slog.LevelWarn, "dead letter", slog.String("reader", e.Reader), slog.String("fate", fate),
		slog.String("kind", string(e.Signal.Kind())), slog.String("error", why))
}

// over is told that a solve is over.
func (w *watch) over(solve solveKey, d *consensus.Decision) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows.over(solve, d, time.Now())
	w.wakeLocked()
}

// wakeLocked sets the timer for the next row that has to be closed.
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

// flush closes the rows that are due; all of them, if nothing more will come.
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
