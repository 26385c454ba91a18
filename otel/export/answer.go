package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	nethttp "net/http"
	"strings"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// errAnswer is what a receiver that is none is told by.
var errAnswer = errors.New("is no OTLP answer")

// maxAnswer is as much as is read of an answer, in bytes.
const maxAnswer = 1 << 20

// answers lets only OTLP answers through. OpenTelemetry's exporters take
// whatever comes with status 200 for success, a page of HTML too, and tell
// of spans that were rejected a handler that is global.
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
		return nil, fmt.Errorf("what %s sent %w", r.URL.Host, err)
	}
	return resp, nil
}

// judge reads an answer, of traces or of metrics: they look alike. An empty
// one needs no type.
func judge(ctx context.Context, contentType string, body []byte) error {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/x-protobuf" && (kind != "" || len(body) > 0) {
		return fmt.Errorf("%w but %s %q", errAnswer, contentType, firstLine(body))
	}
	var answer collector.ExportTraceServiceResponse
	if err := proto.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	if partial := answer.GetPartialSuccess(); partial.GetRejectedSpans() > 0 {
		if took, ok := ctx.Value(rejectedKey{}).(*rejected); ok {
			took.count, took.why = int(partial.GetRejectedSpans()), partial.GetErrorMessage()
		}
	}
	return nil
}

// rejected is what a collector did not take of a batch. A context carries it
// to where the answer is read.
type rejected struct {
	count int
	why   string
}

type rejectedKey struct{}

func withRejected(ctx context.Context) (context.Context, *rejected) {
	r := &rejected{}
	return context.WithValue(ctx, rejectedKey{}, r), r
}

func firstLine(body []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	return oneLine(string(line), 40)
}

// oneLine returns the text on one line of at most so many bytes.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
