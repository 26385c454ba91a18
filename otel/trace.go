package otel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/signals"
)

// maxState is the maximum length of the tracestate of a signal, in bytes.
const maxState = 512

// FromSpan returns a span context in the form of a signal's header, or nil if
// sc is not valid. A tracestate that is too long for a signal is omitted, as W3C
// Trace Context allows.
func FromSpan(sc trace.SpanContext) *signals.Trace {
	if !sc.IsValid() {
		return nil
	}
	t := &signals.Trace{TraceID: sc.TraceID(), SpanID: sc.SpanID(), Flags: byte(sc.TraceFlags())}
	if state := sc.TraceState().String(); len(state) <= maxState {
		t.State = state
	}
	return t
}

// ToSpan returns the span context of a signal's header. It is remote, because
// the signal may come from another process. For nil it is not valid.
func ToSpan(t *signals.Trace) trace.SpanContext {
	if t == nil {
		return trace.SpanContext{}
	}
	state, err := trace.ParseTraceState(t.State)
	if err != nil {
		state = trace.TraceState{} // another vendor's; not a reason to lose the trace
	}
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: t.TraceID, SpanID: t.SpanID, TraceFlags: trace.TraceFlags(t.Flags), TraceState: state, Remote: true,
	})
}

// under returns a context whose next span is a child of sc.
func under(sc trace.SpanContext) context.Context {
	return trace.ContextWithSpanContext(context.Background(), sc)
}

// link adds a link of the given sort, unless sc is not valid.
func link(span trace.Span, sort string, sc trace.SpanContext, more ...attribute.KeyValue) {
	if sc.IsValid() {
		span.AddLink(trace.Link{SpanContext: sc, Attributes: append(more, keyLink.String(sort))})
	}
}
