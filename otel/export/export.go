package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
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

	// Console is where spans and metrics go whose exporter is "console"; nil means
	// standard output.
	Console io.Writer

	// Log receives ignored variables and errors: lost telemetry, failed turns, refused signals and dead
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
	Ignored  []error // a [*VariableError] for each variable whose value is not supported

	tracers *sdktrace.TracerProvider // nil: no traces
	meters  *sdkmetric.MeterProvider // nil: no metrics
	counter *counter
	stop    context.CancelCauseFunc
	patient time.Duration
}

var errPatience = errors.New("export: the collector took too long")

// New returns a pipeline configured by the OTEL_* variables. It does not
// contact the collector. A variable whose value is not supported is ignored: it is
// in Ignored and in the log, and unset until New returns. An address or a
// certificate that cannot be used is an error, so that nothing is sent elsewhere.
func New(ctx context.Context, o *Options) (*Pipeline, error) {
	o = cmp.Or(o, &Options{})
	p := &Pipeline{patient: cmp.Or(o.Patience, 5*time.Second), counter: &counter{log: o.Log, warned: map[string]bool{}}}
	if o.Log == nil {
		p.counter.log = slog.New(slog.DiscardHandler)
	}
	p.counter.stop, p.stop = context.WithCancelCause(context.Background())
	e := &environment{}
	err := p.open(ctx, e, o)
	e.restore()
	if p.Ignored = e.ignored; err != nil {
		p.Close()
		return nil, err
	}
	for _, err := range p.Ignored {
		p.counter.log.Warn("a variable is ignored", "error", err)
	}
	return p, nil
}

func (p *Pipeline) open(ctx context.Context, e *environment, o *Options) (err error) {
	to := &otel.Options{Log: o.Log, Content: e.captured(o.Content), Deliveries: o.Deliveries}
	if !e.disabled() {
		if err = p.provide(ctx, e, o); err != nil {
			return err
		}
	}
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
func (p *Pipeline) provide(ctx context.Context, e *environment, o *Options) error {
	e.check()
	about, err := whoSends(ctx, o.Service)
	if err != nil {
		return err
	}
	if err := p.trace(ctx, e, about, o); err != nil {
		return err
	}
	return p.measure(ctx, e, about, o)
}

func (p *Pipeline) trace(ctx context.Context, e *environment, about *resource.Resource, o *Options) error {
	to := e.exporters("TRACES", otlp)
	if len(to) == 0 {
		return nil
	}
	with := []sdktrace.TracerProviderOption{sdktrace.WithResource(about), sdktrace.WithSpanProcessor(p.counter)}
	if slices.Contains(to, console) {
		out, err := stdouttrace.New(stdouttrace.WithWriter(cmp.Or(o.Console, io.Writer(os.Stdout))))
		if err != nil {
			return err
		}
		one := sdktrace.SpanExporter(out)
		if len(to) == 1 { // else those that the collector takes are counted
			one = spans{out, p.counter}
		}
		with = append(with, sdktrace.WithSyncer(one))
	}
	if slices.Contains(to, otlp) {
		out, err := e.newTraces(ctx)
		if err != nil {
			return err
		}
		var batch []sdktrace.BatchSpanProcessorOption
		if os.Getenv("OTEL_BSP_MAX_QUEUE_SIZE") == "" {
			batch = append(batch, sdktrace.WithMaxQueueSize(queue))
		}
		with = append(with, sdktrace.WithBatcher(spans{out, p.counter}, batch...))
	}
	p.tracers = sdktrace.NewTracerProvider(with...)
	return nil
}

func (p *Pipeline) measure(ctx context.Context, e *environment, about *resource.Resource, o *Options) error {
	otherwise := otlp
	if o.NoMetrics {
		otherwise = none
	}
	with := []sdkmetric.Option{sdkmetric.WithResource(about)}
	for _, to := range e.exporters("METRICS", otherwise) {
		out, err := e.newMetrics(ctx, to, o.Console)
		if err != nil {
			return err
		}
		with = append(with, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics{out, p.counter})))
	}
	if len(with) > 1 {
		p.meters = sdkmetric.NewMeterProvider(with...)
	}
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
