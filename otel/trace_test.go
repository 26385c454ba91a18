package otel_test

import (
	"strings"
	"testing"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
)

func TestTraceSurvivesTheWayThroughASignal(t *testing.T) {
	for _, want := range []signals.Trace{
		{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Flags: 1},
		{TraceID: [16]byte{1}, SpanID: [8]byte{2}, State: "a=1,b=2"},
	} {
		if got := otel.FromSpan(otel.ToSpan(&want)); got == nil || *got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if otel.FromSpan(oteltrace.SpanContext{}) != nil || otel.ToSpan(nil).IsValid() {
		t.Error("nothing became something")
	}
}

func TestTraceStateThatASignalCannotCarryIsLeftOut(t *testing.T) {
	long := "a=" + strings.Repeat("x", 250) + ",b=" + strings.Repeat("y", 250) + ",c=" + strings.Repeat("z", 250)
	state, err := oteltrace.ParseTraceState(long)
	if err != nil {
		t.Fatal(err)
	}
	got := otel.FromSpan(otel.ToSpan(&signals.Trace{TraceID: [16]byte{1}, SpanID: [8]byte{2}}).WithTraceState(state))
	if got.State != "" {
		t.Errorf("got a state of %d bytes, want none", len(got.State))
	}
	if err := signals.Validate(signals.New(signals.Header{Trace: got}, signals.Task{Task: "x"})); err != nil {
		t.Error(err)
	}
	if sc := otel.ToSpan(&signals.Trace{TraceID: [16]byte{1}, SpanID: [8]byte{2}, State: "no state at all"}); !sc.IsValid() {
		t.Error("a state that is none lost the trace")
	}
}

func TestTraceStateAsLongAsASignalCarriesIsKept(t *testing.T) {
	for bytes, want := range map[int]bool{511: true, 512: true, 513: false} {
		text := "a=" + strings.Repeat("x", 255) + ",b=" + strings.Repeat("y", bytes-260)
		state, err := oteltrace.ParseTraceState(text)
		if err != nil {
			t.Fatal(err)
		}
		got := otel.FromSpan(otel.ToSpan(&signals.Trace{TraceID: [16]byte{1}, SpanID: [8]byte{2}}).WithTraceState(state))
		if kept := got.State == text; kept != want || !kept && got.State != "" {
			t.Errorf("%d bytes: kept %v, want %v", bytes, kept, want)
		}
		if err := signals.Validate(signals.New(signals.Header{Trace: got}, signals.Task{Task: "x"})); err != nil {
			t.Error(err)
		}
	}
}
