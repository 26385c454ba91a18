package export

import (
	"context"
	"fmt"
	"io"
	"mime"
	nethttp "net/http"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	rpc "google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// maxAnswer is the number of bytes that are read of a response.
const maxAnswer = 1 << 20

// answers keeps what responses say of rejected telemetry, which OpenTelemetry's
// exporters report to a global handler. The status says whether telemetry was
// accepted, whatever else the response is.
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
	judge(r.Context(), resp.Header.Get("Content-Type"), body)
	return resp, nil
}

// judge reads a response for traces or for metrics, which have the same fields.
func judge(ctx context.Context, contentType string, body []byte) {
	var answer collectortrace.ExportTraceServiceResponse
	var err error
	switch kind, _, _ := mime.ParseMediaType(contentType); kind {
	case "application/x-protobuf":
		err = proto.Unmarshal(body, &answer)
	case "application/json":
		err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(body, &answer)
	default:
		if r, ok := ctx.Value(rejectedKey{}).(*rejected); ok && len(body) > 0 {
			r.odd = contentType
		}
	}
	if partial := answer.GetPartialSuccess(); err == nil {
		reject(ctx, partial.GetRejectedSpans(), partial.GetErrorMessage())
	}
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
	odd   string // the content type of a response that no collector sends
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
