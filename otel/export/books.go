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
)

// Books account for every sampled span. After [Pipeline.Close], spans that
// ended and were not sent are lost.
type Books struct {
	Traces int    // that began in this process
	First  string // the id of the first one
	Ended  int
	Open   int    // not ended, and when the pipeline is closed never sent: a solve was not waited for
	Sent   int    // and taken by the collector
	Why    string // the first reason for a loss, on one line; "": the full queue, if spans were lost

	Metrics       int // batches of metrics sent
	MetricsFailed int // and not taken
}

// Lost returns the number of spans that ended and were not sent.
func (b Books) Lost() int { return b.Ended - b.Sent }

// String returns one line.
func (b Books) String() string {
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

// A counter keeps the books. It is a span processor that sees every span.
type counter struct {
	log  *slog.Logger
	stop context.Context // ends exports under way

	mu     sync.Mutex // protects the fields below
	books  Books
	warned map[string]bool
}

func (c *counter) count(f func(*Books)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.books)
}

func (c *counter) OnStart(_ context.Context, s sdktrace.ReadWriteSpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	c.count(func(b *Books) {
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
		c.count(func(b *Books) { b.Ended++; b.Open-- })
	}
}

func (c *counter) Shutdown(context.Context) error   { return nil }
func (c *counter) ForceFlush(context.Context) error { return nil }

// failed logs the first failure of each sort.
func (c *counter) failed(what string, err error) {
	c.mu.Lock()
	first := !c.warned[what]
	c.warned[what] = true
	c.mu.Unlock()
	if first {
		c.log.Warn("telemetry is being lost", "what", what, "error", err)
	}
}

// export runs f, which ends when ctx or the pipeline does.
func (c *counter) export(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.stop, func() { cancel(context.Cause(c.stop)) })()
	if c.stop.Err() != nil {
		return context.Cause(c.stop)
	}
	return f(ctx)
}

// spans counts what an exporter sends. It keeps errors from the SDK, which
// would give them to a global handler, batch by batch.
type spans struct {
	sdktrace.SpanExporter
	*counter
}

func (e spans) Shutdown(ctx context.Context) error { return e.SpanExporter.Shutdown(ctx) }

func (e spans) ExportSpans(ctx context.Context, all []sdktrace.ReadOnlySpan) error {
	ctx, rejected := withRejected(ctx)
	err := e.export(ctx, func(ctx context.Context) error { return e.SpanExporter.ExportSpans(ctx, all) })
	if err == nil && rejected.count > 0 {
		err = fmt.Errorf("the collector rejected %d spans: %s", rejected.count, rejected.why)
		e.count(func(b *Books) { b.Sent += max(0, len(all)-rejected.count) })
	} else if err == nil {
		e.count(func(b *Books) { b.Sent += len(all) })
	}
	if err != nil {
		err = cause(err)
		e.failed("spans", err)
		e.count(func(b *Books) { b.Why = cmp.Or(b.Why, oneLine(err.Error(), 200)) })
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
	err := e.export(ctx, func(ctx context.Context) error { return e.Exporter.Export(ctx, all) })
	if err != nil {
		e.failed("metrics", cause(err))
		e.count(func(b *Books) { b.MetricsFailed++ })
		return nil
	}
	e.count(func(b *Books) { b.Metrics++ })
	return nil
}
