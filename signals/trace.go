package signals

import (
	"encoding/hex"
	"fmt"
)

// Trace is where a signal came from in a trace: a W3C trace context.
type Trace struct {
	TraceID [16]byte
	SpanID  [8]byte
	Flags   byte   // 1: sampled
	State   string // tracestate, passed on as it came; at most 512 bytes
}

// String returns the traceparent header of W3C Trace Context.
func (t Trace) String() string {
	return fmt.Sprintf("00-%x-%x-%02x", t.TraceID, t.SpanID, t.Flags)
}

// ParseTrace reads a traceparent header of version 00.
func ParseTrace(parent, state string) (Trace, error) {
	t := Trace{State: state}
	refused := &FieldError{Field: "traceparent", Value: clip(parent), Problem: "not a traceparent of version 00"}
	if len(parent) != 55 || parent[:3] != "00-" || parent[35] != '-' || parent[52] != '-' {
		return Trace{}, refused
	}
	var flags [1]byte
	for _, part := range []struct {
		dst  []byte
		text string
	}{{t.TraceID[:], parent[3:35]}, {t.SpanID[:], parent[36:52]}, {flags[:], parent[53:]}} {
		if _, err := hex.Decode(part.dst, []byte(part.text)); err != nil {
			return Trace{}, refused
		}
	}
	t.Flags = flags[0]
	if t.String() != parent {
		return Trace{}, refused // upper case
	}
	return t, t.check()
}

// check refuses what W3C Trace Context does, so that what is written can be
// read.
func (t *Trace) check() error {
	switch {
	case t == nil:
		return nil
	case t.TraceID == [16]byte{} || t.SpanID == [8]byte{}:
		return &FieldError{Field: "traceparent", Value: t.String(), Problem: "an id is all zero"}
	default:
		return Limits{TextBytes: traceStateBytes}.Text("tracestate", t.State)
	}
}

const traceStateBytes = 512
