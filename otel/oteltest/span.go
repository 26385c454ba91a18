// Package oteltest reads traces in tests: it formats them as a text tree for
// comparison, and checks them for errors that must never occur.
//
//	spans := oteltest.FromSDK(recorder.Ended())
//	if problems := oteltest.Problems(spans); problems != nil { … }
//	got := oteltest.Tree(spans, "swarmbus.support")
package oteltest

import (
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A Span is one span of any source, as text.
type Span struct {
	Trace, ID, Parent string // Parent: "" for a root
	Name, Kind        string
	Status, Problem   string // Status: Unset, Ok or Error
	Attributes        map[string]string
	Events            []Event
	Links             []Link
	Start, End        time.Time
}

// An Event is one of a span's events.
type Event struct {
	Name       string
	Attributes map[string]string
}

// A Link points to another span.
type Link struct {
	Trace, Span string
	Attributes  map[string]string
}

// FromSDK returns spans of OpenTelemetry's SDK.
func FromSDK(all []sdktrace.ReadOnlySpan) []Span {
	var spans []Span
	for _, from := range all {
		s := Span{
			Trace: from.SpanContext().TraceID().String(), ID: from.SpanContext().SpanID().String(),
			Name: from.Name(), Kind: strings.ToUpper(from.SpanKind().String()),
			Status: from.Status().Code.String(), Problem: from.Status().Description,
			Attributes: texts(from.Attributes()), Start: from.StartTime(), End: from.EndTime(),
		}
		if from.Parent().IsValid() {
			s.Parent = from.Parent().SpanID().String()
		}
		for _, e := range from.Events() {
			s.Events = append(s.Events, Event{e.Name, texts(e.Attributes)})
		}
		for _, l := range from.Links() {
			s.Links = append(s.Links, Link{l.SpanContext.TraceID().String(), l.SpanContext.SpanID().String(), texts(l.Attributes)})
		}
		spans = append(spans, s)
	}
	return spans
}

func texts(all []attribute.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range all {
		if kv.Value.Type() == attribute.STRINGSLICE {
			m[string(kv.Key)] = fmt.Sprint(kv.Value.AsStringSlice())
			continue
		}
		m[string(kv.Key)] = fmt.Sprint(kv.Value.AsInterface())
	}
	return m
}
