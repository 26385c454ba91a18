package otel

import (
	"testing"

	"go.opentelemetry.io/otel/trace"
)

func spanContext(id byte) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{id}})
}

// TestASpanThatBeginsAfterItsSolveEndedIsOfNoSolve such as that of a turn that ignored
// its context: it would be held for ever.
func TestASpanThatBeginsAfterItsSolveEndedIsOfNoSolve(t *testing.T) {
	var all running
	s, other := &solving{}, &solving{}
	all.begin(s, spanContext(1))
	all.begin(other, spanContext(2))
	all.add(s, spanContext(3))
	if all.find(trace.SpanID{1}) != s || all.find(trace.SpanID{3}) != s || all.find(trace.SpanID{2}) != other {
		t.Error("a span of a running solve is not found")
	}
	all.end(s)
	all.add(s, spanContext(4))
	for _, id := range []byte{1, 3, 4} {
		if all.find(trace.SpanID{id}) != nil {
			t.Errorf("span %d is found after its solve ended", id)
		}
	}
	if all.find(trace.SpanID{2}) != other || len(all.of) != 1 || len(all.own) != 1 {
		t.Errorf("%d spans of %d solves are held, want 1 of 1", len(all.of), len(all.own))
	}
}
