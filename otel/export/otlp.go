package export

import (
	"cmp"
	"context"
	"io"
	nethttp "net/http"
	"os"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	rpc "google.golang.org/grpc"
)

// A busy collector is tried again, when it says so with Retry-After, for as long as
// the SDK gives one batch. With the exporters' default of a minute the queue could
// overflow.
const (
	retryFirst = 200 * time.Millisecond
	retryMost  = time.Second
	retryUntil = 30 * time.Second
)

// The collector on this machine. Over HTTP each signal has a path of its own,
// which the exporters add only to an endpoint from a variable.
const (
	localGRPC    = "http://localhost:4317"
	localTraces  = "http://localhost:4318/v1/traces"
	localMetrics = "http://localhost:4318/v1/metrics"
)

func (e *environment) newTraces(ctx context.Context) (sdktrace.SpanExporter, error) {
	const signal = "TRACES"
	over, with, err := e.way(signal)
	if err != nil {
		return nil, err
	}
	if over == grpc {
		o := []otlptracegrpc.Option{otlptracegrpc.WithDialOption(rpc.WithUnaryInterceptor(intercept)), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{
			Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMost, MaxElapsedTime: retryUntil,
		})}
		if here(signal) {
			o = append(o, otlptracegrpc.WithEndpointURL(localGRPC))
		}
		return otlptracegrpc.New(ctx, o...)
	}
	o := []otlptracehttp.Option{otlptracehttp.WithHTTPClient(with), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
		Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMost, MaxElapsedTime: retryUntil,
	})}
	if here(signal) {
		o = append(o, otlptracehttp.WithEndpointURL(localTraces))
	}
	return otlptracehttp.New(ctx, o...)
}

func (e *environment) newMetrics(ctx context.Context, to string, out io.Writer) (sdkmetric.Exporter, error) {
	if to == console {
		return stdoutmetric.New(stdoutmetric.WithWriter(cmp.Or(out, io.Writer(os.Stdout))))
	}
	const signal = "METRICS"
	over, with, err := e.way(signal)
	if err != nil {
		return nil, err
	}
	if over == grpc {
		o := []otlpmetricgrpc.Option{otlpmetricgrpc.WithDialOption(rpc.WithUnaryInterceptor(intercept)), otlpmetricgrpc.WithRetry(otlpmetricgrpc.RetryConfig{
			Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMost, MaxElapsedTime: retryUntil,
		})}
		if here(signal) {
			o = append(o, otlpmetricgrpc.WithEndpointURL(localGRPC))
		}
		return otlpmetricgrpc.New(ctx, o...)
	}
	o := []otlpmetrichttp.Option{otlpmetrichttp.WithHTTPClient(with), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{
		Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMost, MaxElapsedTime: retryUntil,
	})}
	if here(signal) {
		o = append(o, otlpmetrichttp.WithEndpointURL(localMetrics))
	}
	return otlpmetrichttp.New(ctx, o...)
}

// way returns the protocol of a signal and its HTTP client. gRPC does not use the
// client, but its variables are checked for both protocols.
func (e *environment) way(signal string) (over string, with *nethttp.Client, err error) {
	if err = endpoint(signal); err != nil {
		return "", nil, err
	}
	with, err = e.client(signal)
	return e.protocol(signal), with, err
}
