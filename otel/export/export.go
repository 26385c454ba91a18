package export

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/swarmbus/swarmbus/otel"
)

// queue is the maximum number of spans waiting for the collector. With the
// standard's 2,048, spans of a single review are lost; OTEL_BSP_MAX_QUEUE_SIZE
// changes it.
const queue = 1 << 16

// Options of a [Pipeline]. Nil and the zero value mean the defaults.
type Options struct {
	Service   string        // unless OTEL_SERVICE_NAME tells; "": "swarmbus"
	Patience  time.Duration // how long Close waits for the collector; 0: 5s
	NoMetrics bool          // unless OTEL_METRICS_EXPORTER asks for them
	Log       *slog.Logger  // of what went wrong; nil: nothing
}

// A Pipeline is an observer with providers and exporters behind it.
type Pipeline struct {
	Observer *otel.Observer

	tracers *sdktrace.TracerProvider // nil: no traces
	meters  *sdkmetric.MeterProvider // nil: no metrics
	books   *counter
	stop    context.CancelCauseFunc
	patient time.Duration
}

var errPatience = errors.New("export: the collector took too long")

// New returns a pipeline configured by the OTEL_* variables. It does not
// contact the collector. An unsupported value is a [*VariableError].
func New(ctx context.Context, o *Options) (*Pipeline, error) {
	if o == nil {
		o = &Options{}
	}
	p := &Pipeline{patient: cmp.Or(o.Patience, 5*time.Second), books: &counter{log: o.Log, warned: map[string]bool{}}}
	if o.Log == nil {
		p.books.log = slog.New(slog.DiscardHandler)
	}
	p.books.stop, p.stop = context.WithCancelCause(context.Background())
	if err := p.open(ctx, o); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Pipeline) open(ctx context.Context, o *Options) error {
	content, err := captured()
	if err != nil {
		return err
	}
	if !enabled("OTEL_SDK_DISABLED") {
		about, err := whoSends(ctx, o.Service)
		if err != nil {
			return err
		}
		if err := p.trace(ctx, about); err != nil {
			return err // and send nothing
		}
		if err := p.measure(ctx, about, o.NoMetrics); err != nil {
			return err
		}
	}
	to := &otel.Options{Log: o.Log}
	if p.tracers != nil {
		to.Tracers = p.tracers
	}
	if p.meters != nil {
		to.Meters = p.meters
	}
	if content {
		to.Content = otel.Redact
	}
	p.Observer, err = otel.New(to)
	return err
}

func (p *Pipeline) trace(ctx context.Context, about *resource.Resource) error {
	to, err := exporter("TRACES", otlp)
	if err != nil || to == none {
		return err
	}
	err = cmp.Or(sampler(), whole("OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"))
	if err != nil {
		return err
	}
	e, err := newTraces(ctx)
	if err != nil {
		return err
	}
	var o []sdktrace.BatchSpanProcessorOption
	if os.Getenv("OTEL_BSP_MAX_QUEUE_SIZE") == "" {
		o = append(o, sdktrace.WithMaxQueueSize(queue))
	}
	p.tracers = sdktrace.NewTracerProvider(
		sdktrace.WithResource(about), sdktrace.WithSpanProcessor(p.books), sdktrace.WithBatcher(spans{e, p.books}, o...),
	)
	return nil
}

func (p *Pipeline) measure(ctx context.Context, about *resource.Resource, unasked bool) error {
	otherwise := otlp
	if unasked {
		otherwise = none
	}
	to, err := exporter("METRICS", otherwise)
	if err != nil || to == none {
		return err
	}
	if err := whole("OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT"); err != nil {
		return err
	}
	e, err := newMetrics(ctx)
	if err != nil {
		return err
	}
	p.meters = sdkmetric.NewMeterProvider(
		sdkmetric.WithResource(about), sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics{e, p.books})),
	)
	return nil
}

// Close sends what is left, as long as its patience lasts, and ends every
// goroutine. Spans that have not ended by then, such as those of turns, are not
// sent, so a program should first wait for its swarms (Shutdown). It returns
// the final books.
func (p *Pipeline) Close() Books {
	ctx, cancel := context.WithTimeout(context.Background(), p.patient)
	defer cancel()
	// Exports still running then end at once, and their spans count as lost.
	defer context.AfterFunc(ctx, func() { p.stop(errPatience) })()
	defer p.stop(errPatience)
	if p.Observer != nil {
		p.Observer.Flush()
	}
	// Without a deadline of its own: it must not return before its goroutines
	// do, and stop makes them.
	if p.meters != nil {
		_ = p.meters.Shutdown(context.WithoutCancel(ctx))
	}
	if p.tracers != nil {
		_ = p.tracers.Shutdown(context.WithoutCancel(ctx))
	}
	return p.Books()
}

// Books returns the current books.
func (p *Pipeline) Books() Books {
	p.books.mu.Lock()
	defer p.books.mu.Unlock()
	return p.books.books
}
