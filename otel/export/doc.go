// Package export sends a program's traces and metrics to the destination given
// by the standard OTEL_* variables, by default to an OTLP receiver on this
// machine, such as Jaeger.
//
//	p, err := export.New(ctx, &export.Options{Service: "review"})
//	defer p.Close()
//	s, err := swarm.New(swarm.Options{Agents: team, Hook: p.Observer})
//
// It links OpenTelemetry's SDK and exporters, which take longer to build than
// everything else; package otel does not need them.
//
// # The collector
//
// Only Close waits for the collector, and only as long as configured. If the
// collector refuses, hangs or is absent, spans are lost and counted, with the
// first reason: see [Account]. A failure is logged once, not for each batch. The
// status of a response says whether spans were accepted, whatever its body is; a
// page in its place is logged. Spans that the collector reports as rejected are
// lost. One that is busy is tried again, when its Retry-After says so, for 30 s.
//
// # Variables
//
// OTEL_SDK_DISABLED, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER (otlp, console, none; otlp and
// console with a comma between), OTEL_PROPAGATORS (tracecontext, baggage),
// OTEL_EXPORTER_OTLP_PROTOCOL (http/protobuf, grpc) and the other variables of
// OTLP, each also in the form for traces or metrics only, OTEL_TRACES_SAMPLER and
// its argument, OTEL_BSP_*, OTEL_METRIC_EXPORT_*, OTEL_SPAN_* and
// OTEL_ATTRIBUTE_* limits, and OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT
// (true, span_only, span_and_event: record what agents say on spans, after
// [otel.Redact]; false, event_only, no_content). An unsupported value is ignored
// with a warning, as the specification says. An address without a scheme, or a
// certificate that cannot be read, is an error.
package export
