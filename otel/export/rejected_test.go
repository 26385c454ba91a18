package export_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/swarmbus/swarmbus/otel/export"
)

var (
	partTraces = &collectortrace.ExportTraceServiceResponse{
		PartialSuccess: &collectortrace.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too\nold"},
	}
	partMetrics = &collectormetrics.ExportMetricsServiceResponse{
		PartialSuccess: &collectormetrics.ExportMetricsPartialSuccess{RejectedDataPoints: 2, ErrorMessage: "too new"},
	}
)

// overHTTP is a collector that rejects a part of each batch.
func overHTTP(t *testing.T) {
	collector(t, func(w http.ResponseWriter, r *http.Request) {
		var answer proto.Message = partTraces
		if r.URL.Path == "/v1/metrics" {
			answer = partMetrics
		}
		body, err := proto.Marshal(answer)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(body)
	})
}

type traceService struct {
	collectortrace.UnimplementedTraceServiceServer
}

func (traceService) Export(context.Context, *collectortrace.ExportTraceServiceRequest) (*collectortrace.ExportTraceServiceResponse, error) {
	return partTraces, nil
}

type metricsService struct {
	collectormetrics.UnimplementedMetricsServiceServer
}

func (metricsService) Export(context.Context, *collectormetrics.ExportMetricsServiceRequest) (*collectormetrics.ExportMetricsServiceResponse, error) {
	return partMetrics, nil
}

// overGRPC is the same over gRPC.
func overGRPC(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	collectortrace.RegisterTraceServiceServer(s, traceService{})
	collectormetrics.RegisterMetricsServiceServer(s, metricsService{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+l.Addr().String())
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
}

func TestRejectedTelemetryIsLost(t *testing.T) {
	for name, start := range map[string]func(*testing.T){"HTTP": overHTTP, "gRPC": overGRPC} {
		t.Run(name, func(t *testing.T) {
			start(t)
			var log bytes.Buffer
			p := newPipeline(t, export.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			decide(t, p)
			account := p.Close()
			if account.Lost() != 3 || account.Why != "the collector rejected 3 spans: too old" {
				t.Errorf("got %v, want three spans lost, and why", account)
			}
			if account.Metrics != 0 || account.MetricsFailed != 1 || !strings.Contains(log.String(), "the collector rejected 2 data points: too new") {
				t.Errorf("got %v and logged %s, want the metrics lost, and why", account, &log)
			}
		})
	}
}

// TestTracesAreSentWhileMetricsHang has a collector whose port for metrics does
// not answer.
func TestTracesAreSentWhileMetricsHang(t *testing.T) {
	hang := make(chan struct{})
	collector(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/metrics" {
			return
		}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(hang) })
	patiently(t, export.Options{}, func(p *export.Pipeline) string {
		decide(t, p)
		if account := p.Close(); account.Lost() != 0 || account.Sent == 0 || account.MetricsFailed == 0 {
			return fmt.Sprintf("got %v, want every span sent, and the metrics lost", account)
		}
		return ""
	})
}
