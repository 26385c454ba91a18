// Package export sends traces and metrics from a program to where the
// standard OTEL_* variables say, by default to an OTLP receiver on this
// machine, such as Jaeger.
//
//	p, err := export.New(ctx, &export.Options{Service: "review"})
//	defer p.Close()
//	s, err := swarm.New(swarm.Options{Agents: team, Hook: p.Observer})
//
// It links OpenTelemetry's SDK and exporters, which take longer to build than
// all the rest; package otel does without.
//
// # The collector
//
// Nothing waits for the collector but Close, and that no longer than it is
// told. When the collector refuses, hangs or is not there, spans are lost, and
// counted, with the first reason: see [Books]. What failed is in the log once, not
// for each batch. An answer that is not of OTLP, such as a page of HTML, is a loss
// like any other, and so are spans that the collector says it rejected (over
// HTTP; over gRPC OpenTelemetry's own handler is told).
//
// # Variables
//
// OTEL_SDK_DISABLED, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER (otlp, none),
// OTEL_EXPORTER_OTLP_PROTOCOL (http/protobuf, grpc) and the other variables of
// OTLP, each also for traces or metrics alone, OTEL_TRACES_SAMPLER and its
// argument, OTEL_BSP_*, OTEL_METRIC_EXPORT_*, OTEL_SPAN_* and
// OTEL_ATTRIBUTE_* limits, and OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT
// (true, span_only: record what agents say, after [otel.Redact]; false,
// no_content). A value that is not supported is refused: an address without a
// scheme, an unknown sampler.
package export
