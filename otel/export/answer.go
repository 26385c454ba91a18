package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	nethttp "net/http"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	rpc "google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/swarmbus/swarmbus/internal/text"
)

// errAnswer is the error for a response that is not one of OTLP.
var errAnswer = errors.New("not an OTLP answer")

// maxAnswer is the number of bytes that are read of a response.
const maxAnswer = 1 << 20

// answers accepts only OTLP responses, and keeps what they say of rejected
// telemetry. OpenTelemetry's exporters take any response with status 200 for
// success, even an HTML page, and report rejected spans to a global handler.
type answers struct{ nethttp.RoundTripper }

// RoundTrip implements [nethttp.RoundTripper].
func (a answers) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	resp, err := a.RoundTripper.RoundTrip(r)
	if err != nil || resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = nethttp.NoBody
	if err := judge(r.Context(), resp.Header.Get("Content-Type"), body); err != nil {
		return nil, fmt.Errorf("response of %s: %w", r.URL.Host, err)
	}
	return resp, nil
}

// judge reads a response for traces or for metrics, which have the same fields. An
// empty one needs no content type.
func judge(ctx context.Context, contentType string, body []byte) error {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/x-protobuf" && (kind != "" || len(body) > 0) {
		return fmt.Errorf("%w: got %s %q", errAnswer, contentType, firstLine(body))
	}
	var answer collectortrace.ExportTraceServiceResponse
	if err := proto.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	partial := answer.GetPartialSuccess()
	reject(ctx, partial.GetRejectedSpans(), partial.GetErrorMessage())
	return nil
}

// intercept does over gRPC what answers does over HTTP.
func intercept(ctx context.Context, method string, request, reply any, conn *rpc.ClientConn, call rpc.UnaryInvoker, o ...rpc.CallOption) error {
	err := call(ctx, method, request, reply, conn, o...)
	switch r := reply.(type) {
	case *collectortrace.ExportTraceServiceResponse:
		reject(ctx, r.GetPartialSuccess().GetRejectedSpans(), r.GetPartialSuccess().GetErrorMessage())
		r.PartialSuccess = nil
	case *collectormetrics.ExportMetricsServiceResponse:
		reject(ctx, r.GetPartialSuccess().GetRejectedDataPoints(), r.GetPartialSuccess().GetErrorMessage())
		r.PartialSuccess = nil
	}
	return err
}

// rejected counts the spans or data points of a batch that the collector did not
// accept. A context carries it to where the response is read.
type rejected struct {
	count int
	why   string
}

// err returns why some of a batch was rejected, or nil.
func (r *rejected) err(what string) error {
	if r.count == 0 {
		return nil
	}
	return fmt.Errorf("the collector rejected %d %s: %s", r.count, what, r.why)
}

// reject keeps the rejection of a response for the exporter whose context it is.
func reject(ctx context.Context, count int64, why string) {
	if r, ok := ctx.Value(rejectedKey{}).(*rejected); ok && count > 0 {
		r.count, r.why = int(count), why
	}
}

type rejectedKey struct{}

func withRejected(ctx context.Context) (context.Context, *rejected) {
	r := &rejected{}
	return context.WithValue(ctx, rejectedKey{}, r), r
}

func firstLine(body []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	return text.Cut(text.Line(string(line)), 40)
}
