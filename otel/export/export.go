package export

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
)

// queue is the maximum number of spans waiting for the collector. With the
// standard's 2,048, spans of a single review are lost; OTEL_BSP_MAX_QUEUE_SIZE
// changes it.
const queue = 1 << 16

// Options of a [Pipeline]. Nil and the zero value mean the defaults.
type Options struct {
	Service   string        // unless OTEL_SERVICE_NAME is set; "" means "swarmbus"
	Patience  time.Duration // how long Close waits for the collector; 0 means 5s
	NoMetrics bool          // unless OTEL_METRICS_EXPORTER is set

	// Log receives errors: lost telemetry, failed turns, refused signals and dead
	// letters, with texts only if content is recorded. If it is nil, losses are
	// only in the account.
	Log *slog.Logger

	// Content and Deliveries are those of [otel.Options]. Content is used if
	// OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true, in place of
	// [otel.Redact], or not set.
	Content    func(k signals.Kind, path, text string) string
	Deliveries bool
}

type content = func(k signals.Kind, path, text string) string

// A Pipeline is an observer with its providers and exporters.
type Pipeline struct {
	Observer *otel.Observer

	tracers *sdktrace.TracerProvider // nil: no traces
	meters  *sdkmetric.MeterProvider // nil: no metrics
	counter *counter
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
	p := &Pipeline{patient: cmp.Or(o.Patience, 5*time.Second), counter: &counter{log: o.Log, warned: map[string]bool{}}}
	if o.Log == nil {
		p.counter.log = slog.New(slog.DiscardHandler)
	}
	p.counter.stop, p.stop = context.WithCancelCause(context.Background())
	if err := p.open(ctx, o); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Pipeline) open(ctx context.Context, o *Options) error {
	content, err := captured(o.Content)
	if err != nil {
		return err
	}
	off, err := disabled()
	if err == nil && !off {
		err = p.provide(ctx, o)
	}
	if err != nil {
		return err
	}
	to := &otel.Options{Log: o.Log, Content: content, Deliveries: o.Deliveries}
	if p.tracers != nil {
		to.Tracers = p.tracers
	}
	if p.meters != nil {
		to.Meters = p.meters
	}
	p.Observer, err = otel.New(to)
	return err
}

// provide makes the providers. That of metrics is the last one, because it sends
// metrics when it is closed, as it would be if another one failed.
func (p *Pipeline) provide(ctx context.Context, o *Options) error {
	if err := check(); err != nil {
		return err
	}
	about, err := whoSends(ctx, o.Service)
	if err != nil {
		return err
	}
	if err := p.trace(ctx, about); err != nil {
		return err
	}
	return p.measure(ctx, about, o.NoMetrics)
}

func (p *Pipeline) trace(ctx context.Context, about *resource.Resource) error {
	to, err := exporter("TRACES", otlp)
	if err != nil || to == none {
		return err
	}
	if err := sampler(); err != nil {
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
		sdktrace.WithResource(about), sdktrace.WithSpanProcessor(p.counter), sdktrace.WithBatcher(spans{e, p.counter}, o...),
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
	e, err := newMetrics(ctx)
	if err != nil {
		return err
	}
	p.meters = sdkmetric.NewMeterProvider(
		sdkmetric.WithResource(about), sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics{e, p.counter})),
	)
	return nil
}

// Close sends what is left, for at most Options.Patience, and ends every
// goroutine. Spans that have not ended are not sent, so a program should first
// wait for its swarms (Swarm.Shutdown). It returns the final account.
func (p *Pipeline) Close() Account {
	ctx, cancel := context.WithTimeout(context.Background(), p.patient)
	defer cancel()
	// Then running exports end at once, and their spans count as lost.
	defer context.AfterFunc(ctx, func() { p.stop(errPatience) })()
	defer p.stop(errPatience)
	if p.Observer != nil {
		p.Observer.Flush()
	}
	// Both at once: a collector that hangs for one must not take the time of the
	// other. Without a deadline of their own: they must not return before their
	// goroutines do, which stop ends.
	var both sync.WaitGroup
	if p.meters != nil {
		both.Go(func() { _ = p.meters.Shutdown(context.WithoutCancel(ctx)) })
	}
	if p.tracers != nil {
		both.Go(func() { _ = p.tracers.Shutdown(context.WithoutCancel(ctx)) })
	}
	both.Wait()
	return p.Account()
}

// Account returns the current account.
func (p *Pipeline) Account() Account {
	p.counter.mu.Lock()
	defer p.counter.mu.Unlock()
	return p.counter.account
}
