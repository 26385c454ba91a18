package oteltest

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// FromJSON returns the spans of OTLP in JSON, the format of Jaeger's API v3.
func FromJSON(r io.Reader) ([]Span, error) {
	var answer struct {
		Result struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []jsonSpan }
			}
		}
	}
	if err := json.NewDecoder(r).Decode(&answer); err != nil {
		return nil, err
	}
	var spans []Span
	for _, resource := range answer.Result.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				spans = append(spans, s.span())
			}
		}
	}
	return spans, nil
}

type (
	jsonSpan struct {
		TraceID, SpanID, ParentSpanID      string
		Name                               string
		Kind                               int
		StartTimeUnixNano, EndTimeUnixNano string
		Attributes                         jsonAttributes
		Events                             []struct {
			Name       string
			Attributes jsonAttributes
		}
		Links []struct {
			TraceID, SpanID string
			Attributes      jsonAttributes
		}
		Status struct {
			Message string
			Code    int
		}
	}
	jsonAttributes []struct {
		Key   string
		Value jsonValue
	}
	jsonValue struct {
		StringValue *string
		IntValue    *string
		BoolValue   *bool
		DoubleValue *float64
		ArrayValue  *struct{ Values []jsonValue }
	}
)

var (
	kinds  = []string{"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"}
	states = []string{"Unset", "Ok", "Error"}
)

func (s *jsonSpan) span() Span {
	to := Span{
		Trace: s.TraceID, ID: s.SpanID, Parent: s.ParentSpanID, Name: s.Name, Kind: kinds[s.Kind%len(kinds)],
		Status: states[s.Status.Code%len(states)], Problem: s.Status.Message, Attributes: s.Attributes.texts(),
		Start: moment(s.StartTimeUnixNano), End: moment(s.EndTimeUnixNano),
	}
	for _, e := range s.Events {
		to.Events = append(to.Events, Event{e.Name, e.Attributes.texts()})
	}
	for _, l := range s.Links {
		to.Links = append(to.Links, Link{l.TraceID, l.SpanID, l.Attributes.texts()})
	}
	return to
}

func moment(nanoseconds string) time.Time {
	n, err := strconv.ParseInt(nanoseconds, 10, 64)
	if err != nil || n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

func (all jsonAttributes) texts() map[string]string {
	m := map[string]string{}
	for _, a := range all {
		m[a.Key] = a.Value.text()
	}
	return m
}

func (v *jsonValue) text() string {
	switch {
	case v.StringValue != nil:
		return *v.StringValue
	case v.IntValue != nil:
		return *v.IntValue
	case v.BoolValue != nil:
		return strconv.FormatBool(*v.BoolValue)
	case v.DoubleValue != nil:
		return fmt.Sprint(*v.DoubleValue)
	case v.ArrayValue != nil:
		var parts []string
		for _, part := range v.ArrayValue.Values {
			parts = append(parts, part.text())
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return ""
}
