package export_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/otel/export"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// TestSwarmDoesNotNoticeTheCollector runs the same solve with collectors that
// refuse, are busy, hang, or do not exist: the log is the same but for the
// traces, Close waits no longer than Patience, and every span is counted as lost.
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
			account := p.Close()
			if name == "hangs" && !strings.HasSuffix(account.Why, "took too long") {
				t.Errorf("closing ended with %q, want it not to wait for the collector", account.Why)
			}
			if account.Ended < 12 || account.Lost() != account.Ended || account.Sent != 0 {
				t.Errorf("got %+v, want every span lost", account)
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

// texts are signals as they travel, without their trace contexts.
func texts(t *testing.T, r *solves.Result) (all []string) {
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
	if account := p.Close(); account.Sent == 0 || account.Lost() == 0 || account.Sent+account.Lost() != account.Ended {
		t.Errorf("got %+v, want some sent and some lost", account)
	}
}

// TestWrongPortIsNamed sends over the one protocol to a port of the other, and to
// a closed port.
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
		patiently(t, export.Options{NoMetrics: true}, func(p *export.Pipeline) string {
			decide(t, p)
			if account := p.Close(); account.Lost() == 0 || !strings.Contains(account.Why, test.why) || strings.Contains(account.Why, "too long") {
				return fmt.Sprintf("%s to %s: got %q, want %q", test.protocol, test.endpoint, account.Why, test.why)
			}
			return ""
		})
	}
}

// patiently tries pipelines of more and more patience, until there is no problem: an attempt
// to send has to fit in, which takes a busy machine longer.
func patiently(t *testing.T, o export.Options, try func(*export.Pipeline) (problem string)) {
	t.Helper()
	for o.Patience = 250 * time.Millisecond; ; o.Patience *= 2 {
		problem := try(newPipeline(t, o))
		if problem == "" {
			return
		}
		if o.Patience > 10*time.Second {
			t.Error(problem)
			return
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
	ctx, end := hooks.Start(hooks.With(t.Context(), p.Observer), hooks.Op{Name: hooks.OpSolve, Target: "team", Thread: "x"})
	_, ended := hooks.Start(ctx, hooks.Op{Name: hooks.OpRound, Thread: "x", Round: 1})
	ended(nil, nil)
	account := p.Close()
	end(nil, nil)
	if account.Open != 1 || account.Ended != 1 || !strings.HasSuffix(account.String(), ", 1 not ended") {
		t.Errorf("got %+v, want the solve not ended", account)
	}
}

// TestTheStatusSaysWhetherSpansAreTaken has responses whose body is no OTLP: a page is
// told of, since it may be that of another server.
func TestTheStatusSaysWhetherSpansAreTaken(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>\n<title>Jaeger</title>") }
	typed := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, body)
		}
	}
	const everything = 1 << 20
	for name, test := range map[string]struct {
		serve       http.HandlerFunc
		lost        int
		why, logged string
	}{
		"a page":         {page, 0, "", "is this the address of a collector?"},
		"no protobuf":    {typed("application/x-protobuf", "hello"), 0, "", ""},
		"JSON":           {typed("application/json", `{"partialSuccess":{}}`), 0, "", ""},
		"JSON, rejected": {typed("application/json", `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`), 2, "too old", "too old"},
		"a login":        {redirected, everything, "302 Found", "302 Found"},
		"empty":          {func(http.ResponseWriter, *http.Request) {}, 0, "", ""},
		"empty protobuf": {typed("application/x-protobuf", ""), 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			collector(t, test.serve)
			var log bytes.Buffer
			p := newPipeline(t, export.Options{NoMetrics: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
			decide(t, p)
			account := p.Close()
			if account.Lost() != min(test.lost, account.Ended) || (test.why == "") != (account.Why == "") {
				t.Errorf("got %+v, want %d lost", account, test.lost)
			}
			if said := account.String(); !strings.Contains(said, test.why) || strings.Contains(said, "\n") {
				t.Errorf("got %q, want one line with %q", said, test.why)
			}
			if !strings.Contains(log.String(), test.logged) || (log.Len() > 0) != (test.logged != "") {
				t.Errorf("logged %q, want %q", &log, test.logged)
			}
		})
	}
}

// TestABusyCollectorSaysWhenToTryAgain has one that wants 6 seconds, which is longer than
// a batch was once tried for.
func TestABusyCollectorSaysWhenToTryAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits as long as the collector says")
	}
	var tries atomic.Int32
	collector(t, func(w http.ResponseWriter, _ *http.Request) {
		if tries.Add(1) == 1 {
			w.Header().Set("Retry-After", "6")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	p := newPipeline(t, export.Options{NoMetrics: true, Patience: time.Minute})
	decide(t, p)
	if account := p.Close(); account.Lost() != 0 || tries.Load() != 2 {
		t.Errorf("got %v after %d requests, want every span sent by the second", account, tries.Load())
	}
}

// redirected redirects every request to a login page that accepts anything.
func redirected(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/login" {
		http.Redirect(w, r, "/login", http.StatusFound)
	}
}
