package otel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/signals"
)

// maxState is as much tracestate as a signal may carry.
const maxState = 512

// FromSpan returns a span context as a signal's header carries it, nil if it
// is not valid. A trace state that is longer than signals carry is left out, as
// W3C Trace Context allows.
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

// ToSpan returns the span context that a signal carries: remote, because it
// may have come from anywhere. For nil it is not valid.
func ToSpan(t *signals.Trace) trace.SpanContext {
	if t == nil {
		return trace.SpanContext{}
	}
	state, err := trace.ParseTraceState(t.State)
	if err != nil {
		state = trace.TraceState{} // somebody else's, and no reason to lose the trace
	}
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: t.TraceID, SpanID: t.SpanID, TraceFlags: trace.TraceFlags(t.Flags), TraceState: state, Remote: true,
	})
}

// under returns a context whose next span is a child of sc.
func under(sc trace.SpanContext) context.Context {
	return trace.ContextWithSpanContext(context.Background(), sc)
}

// link adds a link of that sort, unless there is nothing to link to.
func link(span trace.Span, sort string, sc trace.SpanContext, more ...attribute.KeyValue) {
	if sc.IsValid() {
		span.AddLink(trace.Link{SpanContext: sc, Attributes: append(more, keyLink.String(sort))})
	}
}
