package export

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/swarmbus/swarmbus/internal/text"
)

// An Account counts every sampled span. After [Pipeline.Close], spans that ended and
// were not sent are lost.
type Account struct {
	Traces int    // traces that began in this process
	First  string // the id of the first trace
	Ended  int    // spans that ended
	Open   int    // spans that have not ended; after Close, never sent: a solve was not waited for
	Sent   int    // spans that the collector accepted
	Why    string // the first reason for a loss, on one line; "" if the queue was full, or nothing was lost

	Metrics       int // batches of metrics that the collector accepted
	MetricsFailed int // batches that were not accepted, or not as a whole
}

// Lost returns the number of spans that ended and were not sent.
func (b Account) Lost() int { return b.Ended - b.Sent }

// String returns one line.
func (b Account) String() string {
	s := fmt.Sprintf("%d spans, %d lost", b.Ended, b.Lost())
	if b.Lost() > 0 && b.Why != "" {
		s += " (" + b.Why + ")"
	}
	if b.Traces > 0 {
		s += fmt.Sprintf(", traces: %d, first %s", b.Traces, b.First)
	}
	if b.Open > 0 {
		s += fmt.Sprintf(", %d not ended", b.Open)
	}
	if b.MetricsFailed > 0 {
		s += fmt.Sprintf(", %d of %d batches of metrics lost", b.MetricsFailed, b.Metrics+b.MetricsFailed)
	}
	return s
}

// A counter is the span processor that keeps the account.
type counter struct {
	log  *slog.Logger
	stop context.Context // ends running exports

	mu      sync.Mutex // protects the fields below
	account Account
	warned  map[string]bool
}

func (c *counter) count(f func(*Account)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.account)
}

func (c *counter) OnStart(_ context.Context, s sdktrace.ReadWriteSpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	c.count(func(b *Account) {
		b.Open++
		if s.Parent().IsValid() {
			return
		}
		b.Traces++
		if b.First == "" {
			b.First = s.SpanContext().TraceID().String()
		}
	})
}

func (c *counter) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.count(func(b *Account) { b.Ended++; b.Open-- })
	}
}

func (c *counter) Shutdown(context.Context) error   { return nil }
func (c *counter) ForceFlush(context.Context) error { return nil }

// failed logs the first failure to send spans, and to send metrics.
func (c *counter) failed(what string, err error) {
	c.mu.Lock()
	first := !c.warned[what]
	c.warned[what] = true
	c.mu.Unlock()
	if first {
		c.log.Warn("telemetry is being lost", "what", what, "error", err)
	}
}

// doubt logs the first response that is not one of a collector.
func (c *counter) doubt(r *rejected) {
	c.mu.Lock()
	first := r.odd != "" && !c.warned["answer"]
	c.warned["answer"] = c.warned["answer"] || first
	c.mu.Unlock()
	if first {
		c.log.Warn("telemetry was accepted with an answer that is not of OTLP: is this the address of a collector?", "type", text.Cut(text.Line(r.odd), 40))
	}
}

// export runs f with a context that ends with ctx or with the pipeline.
func (c *counter) export(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.stop, func() { cancel(context.Cause(c.stop)) })()
	if c.stop.Err() != nil {
		return context.Cause(c.stop)
	}
	return f(ctx)
}

// spans counts what an exporter sends. It returns no errors to the SDK, which
// would report them to a global handler, batch by batch.
type spans struct {
	sdktrace.SpanExporter
	*counter
}

func (e spans) Shutdown(ctx context.Context) error { return e.SpanExporter.Shutdown(ctx) }

func (e spans) ExportSpans(ctx context.Context, all []sdktrace.ReadOnlySpan) error {
	ctx, rejected := withRejected(ctx)
	err := e.export(ctx, func(ctx context.Context) error { return e.SpanExporter.ExportSpans(ctx, all) })
	e.doubt(rejected)
	if err == nil {
		e.count(func(b *Account) { b.Sent += max(0, len(all)-rejected.count) })
		err = rejected.err("spans")
	}
	if err != nil {
		err = cause(err)
		e.failed("spans", err)
		e.count(func(b *Account) { b.Why = cmp.Or(b.Why, text.Cut(text.Line(err.Error()), 200)) })
	}
	return nil
}

// metrics is the same for metrics.
type metrics struct {
	sdkmetric.Exporter
	*counter
}

func (e metrics) Shutdown(ctx context.Context) error   { return e.Exporter.Shutdown(ctx) }
func (e metrics) ForceFlush(ctx context.Context) error { return e.Exporter.ForceFlush(ctx) }

func (e metrics) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	ctx, rejected := withRejected(ctx)
	err := e.export(ctx, func(ctx context.Context) error { return e.Exporter.Export(ctx, all) })
	e.doubt(rejected)
	if err == nil {
		err = rejected.err("data points")
	}
	if err != nil {
		e.failed("metrics", cause(err))
		e.count(func(b *Account) { b.MetricsFailed++ })
		return nil
	}
	e.count(func(b *Account) { b.Metrics++ })
	return nil
}
