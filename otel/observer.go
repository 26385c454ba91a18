package otel

import (
	"log/slog"
	"runtime/debug"
	"strings"

	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/swarmbus/swarmbus/signals"
)

// Options of an [Observer]. Nil and the zero value record nothing.
type Options struct {
	Tracers trace.TracerProvider // nil: no spans
	Meters  metric.MeterProvider // nil: no metrics
	Log     *slog.Logger         // receives errors, with trace ids and as much text as Content permits; nil: none

	// Content is called with each text and number in a signal and returns the part
	// that may be recorded, as [Redact] does. path is its path in the payload's
	// JSON, such as "content" or "headers.cookie"; for an error, k is "" and path
	// is "error". It is called concurrently. Nil: neither the content of signals is
	// recorded, nor errors, which may quote it.
	Content func(k signals.Kind, path, text string) string

	// Deliveries requests a span for each delivery. By default only those
	// deliveries have one that failed, or came after the span of the publish was
	// closed.
	Deliveries bool
}

// An Observer records the work of swarms and buses. It is the [hooks.Hook] of
// any number of swarms, and watches any number of buses. All methods may be
// called concurrently. Make one with [New].
type Observer struct {
	tracer  trace.Tracer
	meters  *meters
	log     *slog.Logger
	content func(k signals.Kind, path, text string) string
	words   words
	names   names
	watches watches
	solves  running

	deliveries bool
}

// New returns an observer that uses only the given providers and nothing
// global. It returns an error if the meter provider refuses an instrument.
func New(o *Options) (*Observer, error) {
	if o == nil {
		o = &Options{}
	}
	tracers, provider := o.Tracers, o.Meters
	if tracers == nil {
		tracers = tracenoop.NewTracerProvider()
	}
	if provider == nil {
		provider = metricnoop.NewMeterProvider()
	}
	m, err := newMeters(provider.Meter(scope, metric.WithSchemaURL(schemaURL), metric.WithInstrumentationVersion(version())))
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	if o.Log != nil {
		log = slog.New(LogHandler(o.Log.Handler()))
	}
	return &Observer{
		tracer: tracers.Tracer(scope, trace.WithSchemaURL(schemaURL), trace.WithInstrumentationVersion(version())),
		meters: m, log: log, content: o.Content, deliveries: o.Deliveries,
	}, nil
}

// version returns the version of this module in the program, or "" if unknown.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(build.Deps, &build.Main) {
		if strings.HasPrefix(scope, m.Path+"/") {
			return m.Version
		}
	}
	return ""
}
