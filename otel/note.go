package otel

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// Note implements [agents.Hook]: conflicts, escalations and refused signals
// become events of the span that ctx is inside of.
func (o *Observer) Note(ctx context.Context, what any) {
	if refused, ok := what.(swarm.Refused); ok {
		o.log.LogAttrs(ctx, slog.LevelWarn, "signal refused", slog.String("agent", refused.Agent), slog.Any("error", refused.Err))
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	switch w := what.(type) {
	case conflict.Pair:
		span.AddEvent(eventConflict, trace.WithAttributes(
			keyProposals.StringSlice([]string{w.A.ProposalID, w.B.ProposalID}), keySources.StringSlice([]string{w.A.Source, w.B.Source}),
		))
	case *signals.Signal[signals.Escalation]:
		span.AddEvent(eventEscalation, trace.WithAttributes(keySource.String(w.Source)))
	case swarm.Refused:
		span.AddEvent(eventRefused, trace.WithAttributes(
			keySource.String(w.Agent), keyDestination.String(string(w.Signal.Kind())), keyError.String(errorType(w.Err)),
		))
	}
}

// said adds what the signal of a publish says of itself as an event.
func said(span trace.Span, s signals.Any) {
	switch s := s.(type) {
	case *signals.Signal[signals.Conflict]:
		span.AddEvent(eventConflict, trace.WithAttributes(keyRivals.StringSlice([]string{
			s.Payload.SignalA.String(), s.Payload.SignalB.String(),
		})))
	case *signals.Signal[signals.Escalation]:
		span.AddEvent(eventEscalation, trace.WithAttributes(keySource.String(s.Source)))
	}
}
