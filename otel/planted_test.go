package otel_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/swarm"
)

// A bug spoils what is recorded: it stands between the observer and the SDK.
type bug struct {
	embedded.TracerProvider
	tracer oteltrace.Tracer
	start  func(ctx context.Context, name string) (context.Context, string)
	span   func(oteltrace.Span) oteltrace.Span
	only   string // the spans it is in begin with this
}

func (b *bug) Tracer(string, ...oteltrace.TracerOption) oteltrace.Tracer { return &spoiler{bug: b} }

type spoiler struct {
	embedded.Tracer
	*bug
}

func (b *spoiler) Start(ctx context.Context, name string, o ...oteltrace.SpanStartOption) (context.Context, oteltrace.Span) {
	spoilt := strings.HasPrefix(name, b.only)
	if spoilt && b.start != nil {
		ctx, name = b.start(ctx, name)
	}
	ctx, span := b.tracer.Start(ctx, name, o...)
	if spoilt && b.span != nil {
		span = b.span(span)
		ctx = oteltrace.ContextWithSpan(ctx, span)
	}
	return ctx, span
}

type endless struct{ oteltrace.Span }

func (endless) End(...oteltrace.SpanEndOption) {}

type linkless struct{ oteltrace.Span }

func (linkless) AddLink(oteltrace.Link) {}

type mute struct{ oteltrace.Span }

func (mute) SetAttributes(...attribute.KeyValue) {}

type proud struct{ oteltrace.Span }

func (s proud) End(o ...oteltrace.SpanEndOption) {
	s.SetStatus(codes.Ok, "")
	s.Span.End(o...)
}

type sulky struct{ oteltrace.Span }

func (s sulky) End(o ...oteltrace.SpanEndOption) {
	s.SetStatus(codes.Error, "")
	s.Span.End(o...)
}

// TestPlantedBugsAreCaught spoils one thing at a time and expects the checks
// that every test of this package makes to see it.
func TestPlantedBugsAreCaught(t *testing.T) {
	root := func(ctx context.Context, name string) (context.Context, string) {
		return oteltrace.ContextWithSpan(ctx, nil), name
	}
	named := func(ctx context.Context, name string) (context.Context, string) {
		return ctx, name + " sig_0123456789abcdef"
	}
	for name, b := range map[string]*bug{
		"nothing":                     {},
		"a turn never ends":           {only: "invoke_agent", span: func(s oteltrace.Span) oteltrace.Span { return endless{s} }},
		"a publish never ends":        {only: "publish", span: func(s oteltrace.Span) oteltrace.Span { return endless{s} }},
		"an evaluation has no parent": {only: "evaluate", start: root},
		"a publish has no parent":     {only: "publish", start: root},
		"a turn loses its links":      {only: "invoke_agent", span: func(s oteltrace.Span) oteltrace.Span { return linkless{s} }},
		"a publish loses its link":    {only: "publish", span: func(s oteltrace.Span) oteltrace.Span { return linkless{s} }},
		"a publish says nothing":      {only: "publish vote", span: func(s oteltrace.Span) oteltrace.Span { return mute{s} }},
		"a decision says nothing":     {only: "evaluate", span: func(s oteltrace.Span) oteltrace.Span { return mute{s} }},
		"a solve says nothing":        {only: "invoke_workflow", span: func(s oteltrace.Span) oteltrace.Span { return mute{s} }},
		"an id in a name":             {only: "publish", start: named},
		"a status Ok":                 {only: "invoke_workflow", span: func(s oteltrace.Span) oteltrace.Span { return proud{s} }},
		"an error without its type":   {only: "round", span: func(s oteltrace.Span) oteltrace.Span { return sulky{s} }},
	} {
		if got, want := caught(t, b), name != "nothing"; got != want {
			t.Errorf("%s: caught %v, want %v", name, got, want)
		}
	}
}

func caught(t *testing.T, b *bug) bool {
	recorder := tracetest.NewSpanRecorder()
	b.tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("")
	observer, err := otel.New(&otel.Options{Tracers: b})
	if err != nil {
		t.Fatal(err)
	}
	r := &trace{observer, recorder}
	r.solve(t, swarm.Options{Name: "team", Agents: []*agents.Agent{proposer("p", "a"), voter("v", "a"), voter("w", "a")}})
	observer.Flush()
	spans := oteltest.FromSDK(recorder.Ended())
	return len(oteltest.Problems(spans)) > 0 || len(recorder.Started()) != len(spans) || oteltest.Tree(spans) != expected(t, "consensus.txt")
}
