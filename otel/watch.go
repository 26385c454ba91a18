package otel

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A watch is one bus as its observer sees it: one event at a time.
type watch struct {
	*Observer
	*places
	labels map[signals.Kind]*labels
	others *labels
}

// Watch records what happens on a bus from now on, until stop is called: a
// span for each signal published, inside of where it was said, and one for each
// reader that is done with it, inside of its publish and linked to where it was
// said. It returns an error if the meter provider refuses.
func (o *Observer) Watch(b *bus.Bus) (stop func(), err error) {
	unregister, err := o.meters.gauges(b)
	if err != nil {
		return nil, err
	}
	w := &watch{o, newPlaces(), map[signals.Kind]*labels{}, newLabels(other)}
	unwatch := b.Observe(w.see)
	return func() { unwatch(); unregister() }, nil
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
	case bus.Expired, bus.Evicted, bus.ConflictOpened, bus.ConflictEnded:
		// In the bus's counts, or signals of their own.
	}
}

func (w *watch) published(s signals.Any) {
	h, l := s.Head(), w.labelsOf(s.Kind())
	parent := w.parent(&h)
	ctx, span := w.tracer.Start(under(parent), l.publish, trace.WithSpanKind(trace.SpanKindProducer))
	defer span.End()
	w.remember(&h, span.SpanContext())
	w.meters.sent(ctx, l)
	if !span.IsRecording() {
		return
	}
	if answered := w.of(h.ReplyTo).span; answered.SpanID() != parent.SpanID() {
		link(span, linkReply, answered)
	}
	span.SetAttributes(message(publishName, publishType, l.kind, &h)...)
	span.SetAttributes(keySource.String(h.Source), keyConfidence.Float64(h.Confidence))
	if w.content != nil {
		span.SetAttributes(keyContent.String(w.capture(s)))
	}
	said(span, s)
}

// message is what the spans of one signal have in common.
func message(name, operation, kind string, h *signals.Header) []attribute.KeyValue {
	return []attribute.KeyValue{
		keySystem.String(system), keyOperation.String(name), keyType.String(operation), keyDestination.String(kind),
		keyMessage.String(h.ID.String()), keyConversation.String(h.Thread), keySeq.Int64(int64(h.Seq)), keyRound.Int(int(h.Round)),
	}
}

func (w *watch) settled(e *bus.Settled) {
	h, l := e.Signal.Head(), w.labelsOf(e.Signal.Kind())
	published := w.of(h.ID)
	switch e.Fate {
	case bus.Filtered:
		return // the reader's own wish: nothing was delivered and nothing lost
	case bus.DeadClosed:
		w.meters.settled(context.Background(), l, e.Fate, published.at)
		return // how readers end, after every solve: counted and no more
	case bus.Delivered, bus.DeadExpired, bus.DeadLagged, bus.DeadFailed:
	}
	origin := ToSpan(h.Trace)
	if !origin.IsValid() {
		origin = published.span
	}
	parent := published.span
	if !parent.IsValid() {
		parent = origin // published before the watch, or long ago
	}
	ctx, span := w.tracer.Start(under(parent), l.process, trace.WithSpanKind(trace.SpanKindConsumer))
	defer span.End()
	w.meters.settled(ctx, l, e.Fate, published.at)
	if span.IsRecording() {
		span.SetAttributes(message(processName, processType, l.kind, &h)...)
		span.SetAttributes(keyReader.String(e.Reader), keyFate.String(e.Fate.String()))
		link(span, linkOrigin, origin) // without an origin it is a root, and has none
		if !published.at.IsZero() {
			span.SetAttributes(keyLatency.Float64(time.Since(published.at).Seconds()))
		}
	}
	if e.Fate != bus.Delivered {
		w.died(ctx, span, e)
	}
}

// died records a dead letter.
func (w *watch) died(ctx context.Context, span trace.Span, e *bus.Settled) {
	fate := e.Fate.String()
	span.AddEvent(eventDead, trace.WithAttributes(keyFate.String(fate)))
	sort := fate
	if e.Err != nil {
		sort = errorType(e.Err)
		span.SetStatus(codes.Error, w.describe(sort, e.Err))
		w.panicked(span, e.Err)
	} else {
		span.SetStatus(codes.Error, fate)
	}
	span.SetAttributes(keyError.String(sort))
	w.log.LogAttrs(ctx, slog.LevelWarn, "dead letter", slog.String("reader", e.Reader), slog.String("fate", fate),
		slog.String("kind", string(e.Signal.Kind())), slog.Any("error", e.Err))
}
