package signals_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
)

const (
	parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	state  = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"
)

func TestTraceContextReadsAndWritesTheSame(t *testing.T) {
	trace, err := signals.ParseTrace(parent, state)
	if err != nil || trace.String() != parent || trace.State != state || trace.Flags != 1 {
		t.Errorf("%+v, %v", trace, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := *anyTrace.Draw(t, "trace")
		if got, err := signals.ParseTrace(want.String(), want.State); err != nil || got != want {
			t.Fatalf("%+v reads as %+v, %v", want, got, err)
		}
	})
}

func TestTraceContextThatIsNoneIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "00", parent + "0", parent[:54], strings.ToUpper(parent), "01" + parent[2:], "ff" + parent[2:],
		strings.Replace(parent, "-", "_", 1), parent[:35] + "_" + parent[36:], parent[:52] + "_" + parent[53:],
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		strings.Replace(parent, "4b", "4g", 1), parent[:53] + "0g", parent[:36] + "zz" + parent[38:], strings.Repeat("\xff", 55),
	} {
		trace, err := signals.ParseTrace(text, "")
		refusedFor(t, err, "", "traceparent")
		if trace != (signals.Trace{}) {
			t.Errorf("%q is refused and %+v", text, trace)
		}
	}
	for _, text := range []string{"a=\n", "\x00", "\x7f", "é", "\xff", strings.Repeat("a", 513)} {
		trace, err := signals.ParseTrace(parent, text)
		refusedFor(t, err, "", "tracestate")
		if trace != (signals.Trace{}) {
			t.Errorf("%q is refused and %+v", text, trace)
		}
		trace = *fullHeader().Trace
		trace.State = text
		refusedFor(t, signals.Validate(signals.New(signals.Header{Trace: &trace}, task)), "task:new", "tracestate")
	}
	if _, err := signals.ParseTrace(parent, strings.Repeat("a", 512)); err != nil {
		t.Error(err)
	}
	for _, trace := range []signals.Trace{{}, {TraceID: [16]byte{1}}, {SpanID: [8]byte{1}}} {
		refusedFor(t, signals.Validate(signals.New(signals.Header{Trace: &trace}, task)), "task:new", "traceparent")
	}
}

func FuzzParseTrace(f *testing.F) {
	f.Add(parent, state)
	f.Add(strings.ToUpper(parent), "")
	f.Add(parent[:54], "\r\n")
	f.Add("00-00000000000000000000000000000000-0000000000000000-00", "")
	f.Fuzz(func(t *testing.T, parent, state string) {
		trace, err := signals.ParseTrace(parent, state)
		if err != nil {
			if trace != (signals.Trace{}) || !errors.Is(err, signals.ErrInvalid) {
				t.Errorf("%q, %q: %+v, %v", parent, state, trace, err)
			}
			return
		}
		if trace.String() != parent || trace.State != state {
			t.Errorf("%q, %q reads as %v", parent, state, trace)
		}
		s := signals.New(signals.Header{Trace: &trace}, task)
		if got := unmarshal(t, marshal(t, s)).Head().Trace; got == nil || *got != trace {
			t.Errorf("%v reads back as %v", trace, got)
		}
	})
}
