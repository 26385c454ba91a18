package signals

import (
	"encoding/hex"
	"strings"
)

// Trace is the W3C trace context that a signal was sent in.
type Trace struct {
	TraceID [16]byte
	SpanID  [8]byte
	Flags   byte   // 1: sampled
	State   string // tracestate, passed on unchanged; at most 512 bytes of printable ASCII
}

// String returns the traceparent header of W3C Trace Context.
func (t Trace) String() string {
	b := make([]byte, 0, parentBytes)
	b = hex.AppendEncode(append(b, "00-"...), t.TraceID[:])
	b = hex.AppendEncode(append(b, '-'), t.SpanID[:])
	b = hex.AppendEncode(append(b, '-'), []byte{t.Flags})
	return string(b)
}

// ParseTrace reads the traceparent header, of version 00, and the tracestate
// header of W3C Trace Context. ParseTrace(t.String(), t.State) is t.
func ParseTrace(parent, state string) (Trace, error) {
	t := Trace{State: state}
	if !t.parse(parent) {
		return Trace{}, &FieldError{Field: "traceparent", Value: clip(parent), Problem: "not a traceparent of version 00"}
	}
	if err := t.check(); err != nil {
		return Trace{}, err
	}
	return t, nil
}

func (t *Trace) parse(parent string) bool {
	if len(parent) != parentBytes || parent[:3] != "00-" || parent[35] != '-' || parent[52] != '-' {
		return false
	}
	var flags [1]byte
	ok := parent == strings.ToLower(parent) &&
		unhex(t.TraceID[:], parent[3:35]) && unhex(t.SpanID[:], parent[36:52]) && unhex(flags[:], parent[53:])
	t.Flags = flags[0]
	return ok
}

func unhex(dst []byte, text string) bool {
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}

// check refuses what ParseTrace does, so that what is written can be read.
func (t *Trace) check() error {
	switch {
	case t == nil:
		return nil
	case t.TraceID == [16]byte{} || t.SpanID == [8]byte{}:
		return &FieldError{Field: "traceparent", Value: t.String(), Problem: "an id is all zero"}
	}
	for i := range len(t.State) {
		// The state goes into HTTP and NATS headers, where a line break would
		// start another header.
		if c := t.State[i]; c < ' ' || c > '~' {
			return &FieldError{Field: "tracestate", Value: clip(t.State), Problem: "not printable ASCII"}
		}
	}
	return Limits{TextBytes: traceStateBytes}.length("tracestate", t.State, len(t.State))
}

const (
	parentBytes     = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	traceStateBytes = 512
)
