package export_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/bustest"
	"github.com/swarmbus/swarmbus/otel/export"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		for _, p := range programs {
			_ = os.RemoveAll(filepath.Dir(p))
		}
		os.Exit(status)
	}))
}

// decide lets three agents decide, watched through p or by nobody.
func decide(t *testing.T, p *export.Pipeline) *swarm.Result {
	t.Helper()
	say := func(id string, hears signals.Kind, s signals.Any) *agents.Agent {
		return &agents.Agent{ID: id, Listens: []signals.Kind{hears}, CanEmit: []signals.Kind{s.Kind()}, Reactor: agents.Reactors{
			agents.Each(func(context.Context, signals.Any) said { return agents.Say(s) }),
		}}
	}
	vote := signals.New(signals.Header{Confidence: 1}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
	o := swarm.Options{
		Seed: 1, Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond),
		Agents: []*agents.Agent{
			say("p", signals.KindTask, signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "a", Content: "do a"})),
			say("v", signals.KindProposal, vote), say("w", signals.KindProposal, vote),
		},
	}
	if p != nil {
		o.Hook = p.Observer
	}
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if p != nil {
		stop, err := p.Observer.Watch(s.Bus())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	result, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return result
}

func newPipeline(t *testing.T, o export.Options) *export.Pipeline {
	t.Helper()
	p, err := export.New(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// collector is somebody who takes telemetry, or does not.
func collector(t *testing.T, serve http.HandlerFunc) {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
}

func TestSpansAndMetricsAreSent(t *testing.T) {
	var traces, metrics atomic.Int32
	collector(t, func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/traces":
			traces.Add(1)
		case "/v1/metrics":
			metrics.Add(1)
		}
	})
	p := newPipeline(t, export.Options{})
	decide(t, p)
	books := p.Close()
	if traces.Load() == 0 || metrics.Load() == 0 || books.Sent < 12 || books.Lost() != 0 || books.Traces != 1 || books.Metrics == 0 {
		t.Errorf("got %d and %d requests, %+v, want everything sent", traces.Load(), metrics.Load(), books)
	}
}

// sent keeps what a collector was sent.
type sent struct {
	mu         sync.Mutex // protects the fields below
	spans      []string   // names
	attributes []string   // texts
	resources  []map[string]string
}

func (s *sent) collect(t *testing.T) {
	collector(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request collectortrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, of := range request.ResourceSpans {
			about := map[string]string{}
			for _, a := range of.Resource.Attributes {
				about[a.Key] = a.Value.GetStringValue()
			}
			s.resources = append(s.resources, about)
			for _, scope := range of.ScopeSpans {
				for _, span := range scope.Spans {
					s.spans = append(s.spans, span.Name)
					for _, a := range span.Attributes {
						s.attributes = append(s.attributes, a.Value.GetStringValue())
					}
				}
			}
		}
	})
}

func TestReplicasAreToldApart(t *testing.T) {
	var got sent
	got.collect(t)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	for range 2 {
		p := newPipeline(t, export.Options{Service: "one", NoMetrics: true})
		decide(t, p)
		p.Close()
	}
	ids := map[string]bool{}
	for _, about := range got.resources {
		ids[about["service.instance.id"]] = true
		if about["service.name"] != "one" || about["ip"] == "" || about["service.version"] == "" || about["deployment.environment.name"] != "test" {
			t.Errorf("got %v, want service, version, address and what the variable says", about)
		}
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("got instances %v, want two", ids)
	}
}

// TestTurnThatNeverEndsIsSent closes the pipeline while an agent does not
// listen, and its swarm was not waited for.
func TestTurnThatNeverEndsIsSent(t *testing.T) {
	var got sent
	got.collect(t)
	release := make(chan struct{})
	p := newPipeline(t, export.Options{NoMetrics: true})
	s, err := swarm.New(swarm.Options{Hook: p.Observer, Deadline: 50 * time.Millisecond, Agents: []*agents.Agent{{
		ID: "deaf", Reactor: agents.Each(func(context.Context, signals.Any) said {
			<-release
			return agents.Say()
		}),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
		t.Fatal(err)
	}
	p.Close()
	close(release)
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.spans, "invoke_agent deaf") {
		t.Errorf("got %v, want the turn", got.spans)
	}
}

// TestPublishesAreSentWhenNobodyStopsTheWatch closes the pipeline alone.
func TestPublishesAreSentWhenNobodyStopsTheWatch(t *testing.T) {
	var got sent
	got.collect(t)
	p := newPipeline(t, export.Options{NoMetrics: true})
	b := bustest.New(t, nil)
	if _, err := p.Observer.Watch(b.Bus); err != nil {
		t.Fatal(err)
	}
	if _, err := b.System().Publish(t.Context(), signals.New(signals.Header{}, signals.Task{Task: "x"})); err != nil {
		t.Fatal(err)
	}
	if books := p.Close(); books.Sent != 1 || !slices.Contains(got.spans, "publish task:new") {
		t.Errorf("got %v and %v, want the publish", books, got.spans)
	}
}

// TestSwarmDoesNotNoticeTheCollector runs the same solve with collectors that
// refuse, are busy, hang, or are not there: the log is the same but for the
// traces, nobody waits longer than told, and every span is counted as lost.
func TestSwarmDoesNotNoticeTheCollector(t *testing.T) {
	hang := make(chan struct{})
	plain := decide(t, nil)
	for name, start := range map[string]func(*testing.T){
		"refuses": func(t *testing.T) {
			collector(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
		},
		"busy": func(t *testing.T) {
			collector(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		},
		"hangs": func(t *testing.T) {
			hang = make(chan struct{})
			collector(t, func(_ http.ResponseWriter, r *http.Request) {
				select {
				case <-hang:
				case <-r.Context().Done():
				}
			})
			t.Cleanup(func() { close(hang) })
		},
		"absent":           func(t *testing.T) { t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1") },
		"absent over gRPC": func(t *testing.T) { absentGRPC(t) },
	} {
		t.Run(name, func(t *testing.T) {
			start(t)
			var log bytes.Buffer
			p := newPipeline(t, export.Options{Patience: 500 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))})
			traced := decide(t, p)
			if diff := cmp.Diff(texts(t, plain), texts(t, traced)); diff != "" {
				t.Errorf("the log is another:\n%s", diff)
			}
			closing := time.Now()
			books := p.Close()
			if took := time.Since(closing); took > 5*time.Second {
				t.Errorf("closing took %v, want about 500ms", took)
			}
			if books.Ended < 12 || books.Lost() != books.Ended || books.Sent != 0 {
				t.Errorf("got %+v, want every span lost", books)
			}
			if n := strings.Count(log.String(), "telemetry is being lost"); n != 2 {
				t.Errorf("logged %d times, want once for spans and once for metrics:\n%s", n, &log)
			}
		})
	}
}

func absentGRPC(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
}

// texts are signals as they travel, without where they were said.
func texts(t *testing.T, r *swarm.Result) (all []string) {
	t.Helper()
	for _, s := range r.Log {
		h := s.Head()
		h.Trace = nil
		text, err := signals.Marshal(signals.With(s, h))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

func TestSpansBeyondTheQueueAreCounted(t *testing.T) {
	release := make(chan struct{})
	collector(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "4")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2")
	p := newPipeline(t, export.Options{NoMetrics: true})
	decide(t, p)
	close(release)
	if books := p.Close(); books.Sent == 0 || books.Lost() == 0 || books.Sent+books.Lost() != books.Ended {
		t.Errorf("got %+v, want some sent and some lost", books)
	}
}

func TestValueThatIsNotSupportedIsAnError(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://localhost", "OTEL_TRACES_SAMPLER": "half",
		"OTEL_BSP_MAX_QUEUE_SIZE": "-1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "0", "OTEL_BSP_SCHEDULE_DELAY": "-5", "OTEL_BSP_EXPORT_TIMEOUT": "abc",
		"OTEL_METRIC_EXPORT_INTERVAL": "0", "OTEL_METRIC_EXPORT_TIMEOUT": "1m", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "abc", "OTEL_SPAN_LINK_COUNT_LIMIT": "-2",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "zip", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "GZIP", "OTEL_SDK_DISABLED": "yes", "OTEL_EXPORTER_OTLP_INSECURE": "1",
		"OTEL_RESOURCE_ATTRIBUTES": "nonsense", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "weekly", "OTEL_METRICS_EXEMPLAR_FILTER": "all",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "exponential",

		"OTEL_EXPORTER_OTLP_TIMEOUT": "10s", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "event_only",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			_, err := export.New(t.Context(), nil)
			var problem *export.VariableError
			if !errors.As(err, &problem) || problem.Name != name || !strings.Contains(err.Error(), value) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line about %s", err, name)
			}
		})
	}
}

func TestRefusalReadsAsASentence(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"OTEL_BSP_MAX_QUEUE_SIZE", "ten", `export: OTEL_BSP_MAX_QUEUE_SIZE="ten" is not a number from 1 to 16777216`},
		{"OTEL_SDK_DISABLED", "yes", `export: OTEL_SDK_DISABLED="yes" is not one of true, false`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(test.name, test.value)
			if _, err := export.New(t.Context(), nil); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestValuesAtTheirBoundsAreTaken(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_BSP_MAX_QUEUE_SIZE": "1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1", "OTEL_BSP_EXPORT_TIMEOUT": "0", "OTEL_SPAN_LINK_COUNT_LIMIT": "-1",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_SDK_DISABLED": "FALSE", "OTEL_RESOURCE_ATTRIBUTES": "k8s.io/name=a%20b,c=",
	} {
		t.Setenv(name, value)
	}
	var got sent
	got.collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	p := newPipeline(t, export.Options{NoMetrics: true})
	decide(t, p)
	if books := p.Close(); books.Ended == 0 || books.Sent == 0 {
		t.Errorf("got %v, want spans sent", books)
	}
}

// TestRefusedVariableSendsNothing has a collector that would be told of
// nothing, and a log that would be told so.
func TestRefusedVariableSendsNothing(t *testing.T) {
	for _, name := range []string{"OTEL_TRACES_SAMPLER", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "OTEL_METRICS_EXPORTER"} {
		t.Run(name, func(t *testing.T) {
			collector(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent to %s", r.URL) })
			t.Setenv(name, "sometimes")
			var log bytes.Buffer
			if _, err := export.New(t.Context(), &export.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}); err == nil || log.Len() > 0 {
				t.Errorf("got %v, and logged %q", err, &log)
			}
		})
	}
}

// TestWrongPortIsNamed sends over the one protocol to a port of the other, and
// to where nobody is.
func TestWrongPortIsNamed(t *testing.T) {
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	frames := listen(t, "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00\x40\x00")
	for _, test := range []struct{ protocol, endpoint, why string }{
		{"grpc", page.URL, "is this a port of OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf? "},
		{"http/protobuf", "http://" + frames, "is this a port of OTEL_EXPORTER_OTLP_PROTOCOL=grpc? "},
		{"grpc", "http://127.0.0.1:1", "connection refused"},
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", test.protocol)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", test.endpoint)
		p := newPipeline(t, export.Options{NoMetrics: true, Patience: 500 * time.Millisecond})
		decide(t, p)
		if books := p.Close(); books.Lost() == 0 || !strings.Contains(books.Why, test.why) || strings.Contains(books.Why, "too long") {
			t.Errorf("%s to %s: got %q, want %q", test.protocol, test.endpoint, books.Why, test.why)
		}
	}
}

// listen answers every request with the same bytes.
func listen(t *testing.T, answer string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.WriteString(c, answer)
			_ = c.Close()
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return l.Addr().String()
}

// TestSolveThatIsNotWaitedForIsInTheBooks closes the pipeline in the middle.
func TestSolveThatIsNotWaitedForIsInTheBooks(t *testing.T) {
	var got sent
	got.collect(t)
	p := newPipeline(t, export.Options{NoMetrics: true})
	ctx, end := agents.Start(agents.WithHook(t.Context(), p.Observer), agents.Op{Name: agents.OpSolve, Target: "team", Thread: "x"})
	_, ended := agents.Start(ctx, agents.Op{Name: agents.OpRound, Thread: "x", Round: 1})
	ended(nil, nil)
	books := p.Close()
	end(nil, nil)
	if books.Open != 1 || books.Ended != 1 || !strings.HasSuffix(books.String(), ", 1 not ended") {
		t.Errorf("got %+v, want the solve not ended", books)
	}
}

// TestProgramMayAskForContentAndDeliveries has an option and the variable
// that goes before it.
func TestProgramMayAskForContentAndDeliveries(t *testing.T) {
	upper := func(_ signals.Kind, _, text string) string { return strings.ToUpper(text) }
	for value, want := range map[string]bool{"": true, "true": true, "false": false, "no_content": false} {
		t.Run(value, func(t *testing.T) {
			var got sent
			got.collect(t)
			t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
			p := newPipeline(t, export.Options{NoMetrics: true, Content: upper, Deliveries: true})
			decide(t, p)
			p.Close()
			if found := strings.Contains(fmt.Sprint(got.attributes), "DO A"); found != want {
				t.Errorf("content sent: %v, want %v", found, want)
			}
			if !slices.Contains(got.spans, "process proposal") {
				t.Errorf("got %v, want the deliveries", got.spans)
			}
		})
	}
}

func TestHeadersThatAreNoneAreRefusedAndNotRepeated(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "api-key=s3cret": true, "a=b, c=d%20e,": true, "s3cret": false, "a=b,s3cret": false, "=s3cret": false, "a=s3cret%zz": false, "a b=s3cret": false,
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", value)
		p, err := export.New(t.Context(), nil)
		if (err == nil) != want || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: got %v, taken %v", value, err, want)
		}
		if p != nil {
			p.Close()
		}
	}
}

func TestSamplerArgumentThatIsNoShareIsAnError(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	for value, want := range map[string]bool{"": true, "0": true, "0.1": true, "1": true, "1.1": false, "-1": false, "NaN": false, "all": false} {
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", value)
		p, err := export.New(t.Context(), nil)
		var problem *export.VariableError
		if (err == nil) != want || !want && !errors.As(err, &problem) {
			t.Errorf("%q: got %v, taken %v", value, err, want)
		}
		if p != nil {
			p.Close()
		}
	}
}

func TestWhatIsNoOTLPAnswerIsALoss(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>\n<title>Jaeger</title>") }
	typed := func(contentType string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(body)
		}
	}
	partial, err := proto.Marshal(&collectortrace.ExportTraceServiceResponse{
		PartialSuccess: &collectortrace.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too\nold"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const everything = 1 << 20
	for name, test := range map[string]struct {
		serve http.HandlerFunc
		lost  int
		why   string
	}{
		"a page":         {page, everything, `is no OTLP answer but text/html; charset=utf-8 "<!doctype html>"`},
		"no protobuf":    {typed("application/x-protobuf", []byte("hello")), everything, "is no OTLP answer: "},
		"JSON":           {typed("application/json", []byte("{}")), everything, `application/json "{}"`},
		"some rejected":  {typed("application/x-protobuf", partial), 3, "the collector rejected 3 spans: too old"},
		"empty":          {func(http.ResponseWriter, *http.Request) {}, 0, ""},
		"empty protobuf": {typed("application/x-protobuf", nil), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			collector(t, test.serve)
			p := newPipeline(t, export.Options{NoMetrics: true})
			decide(t, p)
			books := p.Close()
			if books.Lost() != min(test.lost, books.Ended) || (test.why == "") != (books.Why == "") {
				t.Errorf("got %+v, want %d lost", books, test.lost)
			}
			if said := books.String(); !strings.Contains(said, test.why) || strings.Contains(said, "\n") {
				t.Errorf("got %q, want one line with %q", said, test.why)
			}
		})
	}
}

func TestCertificatesOfTheVariablesAreUsed(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the client that does not know the certificate
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	for certificate, known := range map[string]bool{"": false, file: true} {
		t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", certificate)
		p := newPipeline(t, export.Options{NoMetrics: true, Patience: 500 * time.Millisecond})
		decide(t, p)
		if books := p.Close(); (books.Lost() == 0) != known {
			t.Errorf("certificate %q: got %v, want it taken %v", certificate, books, known)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", os.Args[0])
	if _, err := export.New(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_CERTIFICATE") {
		t.Errorf("got %v, want an error about the certificate", err)
	}
}

func TestNothingIsSentWhenTheVariablesSayNo(t *testing.T) {
	for _, env := range []map[string]string{
		{"OTEL_SDK_DISABLED": "true"},
		{"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
		{"OTEL_TRACES_SAMPLER": "always_off", "OTEL_METRICS_EXPORTER": "none"},
	} {
		t.Run("", func(t *testing.T) {
			collector(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%v: sent to %s", env, r.URL) })
			for name, value := range env {
				t.Setenv(name, value)
			}
			p := newPipeline(t, export.Options{})
			decide(t, p)
			if books := p.Close(); books != (export.Books{}) {
				t.Errorf("%v: got %+v", env, books)
			}
		})
	}
}

func TestContentIsCapturedByTheStandardVariable(t *testing.T) {
	for value, want := range map[string]bool{"": false, "false": false, "NO_CONTENT": false, "true": true, "SPAN_ONLY": true} {
		t.Run(value, func(t *testing.T) {
			var found atomic.Bool
			collector(t, func(_ http.ResponseWriter, r *http.Request) {
				var body bytes.Buffer
				_, _ = body.ReadFrom(r.Body)
				if bytes.Contains(body.Bytes(), []byte("do a")) {
					found.Store(true)
				}
			})
			t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
			p := newPipeline(t, export.Options{NoMetrics: true})
			decide(t, p)
			p.Close()
			if found.Load() != want {
				t.Errorf("content sent: %v, want %v", found.Load(), want)
			}
		})
	}
}

type said = iter.Seq2[signals.Any, error]
