package otel

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Note implements [hooks.Hook]: conflicts, escalations and refused signals
// become events of the current span of ctx, attributes of an op become those of its
// span, and turns that are late or dropped are marked.
func (o *Observer) Note(ctx context.Context, what any) {
	if refused, ok := what.(solves.Refused); ok {
		o.log.LogAttrs(ctx, slog.LevelWarn, "signal refused", slog.String("agent", refused.Agent),
			slog.String("kind", o.kind(refused.Kind)), slog.String("error", errorType(refused.Err)), slog.String("why", o.refusal(refused.Signal, refused.Err)))
	}
	o.turned(ctx, what)
	about, _ := what.([]slog.Attr)
	o.meters.noted(ctx, about)
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	switch w := what.(type) {
	case []slog.Attr:
		span.SetAttributes(converted(w)...)
	case conflict.Pair:
		span.AddEvent(eventConflict, trace.WithAttributes(
			keyProposals.StringSlice([]string{o.proposal(w.A.ProposalID), o.proposal(w.B.ProposalID)}), keySources.StringSlice([]string{w.A.Source, w.B.Source}),
		))
	case *signals.Signal[signals.Escalation]:
		span.AddEvent(eventEscalation, trace.WithAttributes(append(o.asks(w), keySource.String(w.Source))...))
	case solves.Refused:
		span.AddEvent(eventRefused, trace.WithAttributes(
			keyIsRefused.Bool(true), keySource.String(w.Agent), keyDestination.String(o.kind(w.Kind)), keyError.String(errorType(w.Err)),
			keyReason.String(o.refusal(w.Signal, w.Err)),
		))
	}
}
