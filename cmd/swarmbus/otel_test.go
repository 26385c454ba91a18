package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

func TestOtelSendsATraceForEachTask(t *testing.T) {
	var requests atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	plain, traced, errs := &bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{}
	args := []string{"decide", "--votes", "../../benchmarks/data/votes/replicats_1", "--strategy", "voting"}
	run(t.Context(), args, plain, errs)
	if requests.Load() != 0 || errs.Len() > 0 {
		t.Errorf("%d requests without --otel: %s", requests.Load(), errs)
	}
	run(t.Context(), append(args, "--otel"), traced, errs)
	if plain.String() != traced.String() {
		t.Errorf("got %s, want what it prints without --otel:\n%s", traced, plain)
	}
	if !regexp.MustCompile(`(?m)^otel: \d{3,} spans, 0 lost, traces: 25, `).MatchString(errs.String()) || requests.Load() == 0 {
		t.Errorf("%d requests, %s; want 25 traces", requests.Load(), errs)
	}
}

// The solves that a server starts are traced, and its page leads to the traces.
func TestServeTracesItsSolves(t *testing.T) {
	var requests atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	link, end := demoServed(t, t.TempDir(), "--otel", "--jaeger", "http://127.0.0.1:16686")
	if status, out, errs := swarmbusRun(t, "solve", ordersTask, "--team", "platform", "--server", link); status != cli.ExitDecided {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	for _, one := range fetched[[]api.Solve](t, link, "/api/solves?state=decided") {
		trace := fetched[api.SolveDetail](t, link, "/api/solves/"+one.ID).Trace
		if trace == nil || trace.URL != "http://127.0.0.1:16686/trace/"+trace.ID {
			t.Errorf("%s has the trace %+v", one.ID, trace)
		}
	}
	said := end()
	if !regexp.MustCompile(`(?m) msg="otel: \d{2,} spans, 0 lost, traces: [1-9]`).MatchString(said) || requests.Load() == 0 {
		t.Errorf("%d requests, %s; want traces", requests.Load(), said)
	}
}

func TestWhatOtelSaysHasTheFormOfTheLog(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "sometimes")
	t.Setenv("OTEL_TRACES_EXPORTER", "none")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	_, end := demoServed(t, t.TempDir(), "--otel", "--log-format", "json")
	said := end()
	for line := range strings.Lines(said) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line that is no JSON: %s", line)
		}
	}
	for _, want := range []string{"sometimes", `"msg":"otel: `} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
}

// fetched returns what a server answers.
func fetched[T any](t *testing.T, link, path string) (v T) {
	t.Helper()
	base, token, _ := strings.Cut(link, "/#token=")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // only read
	if err := json.NewDecoder(got.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOtelIgnoresAVariableThatIsNotSupported(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "console")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	t.Setenv("OTEL_TRACES_SAMPLER", "sometimes")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	var out, errs bytes.Buffer
	args := []string{"decide", "--votes", "../../benchmarks/data/votes/replicats_1", "--otel"}
	if status := run(t.Context(), args, &out, &errs); status != 0 || !strings.Contains(errs.String(), "sometimes") || !strings.Contains(errs.String(), `"Name":"invoke_workflow`) {
		t.Errorf("got status %d, %s", status, &errs)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318")
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	errs.Reset()
	if status := run(t.Context(), args, &out, &errs); status != cli.ExitUsage || !strings.Contains(errs.String(), "localhost:4318") {
		t.Errorf("got status %d, %s", status, &errs)
	}
}

func TestOtelIsRefusedWhereNothingIsTraced(t *testing.T) {
	for _, args := range [][]string{{"replay", "run"}, {"show", "run"}, {"version"}} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), append(args, "--otel"), &out, &errs); status != cli.ExitUsage || !strings.Contains(errs.String(), "unknown flag --otel") {
			t.Errorf("%v: got status %d, %s", args, status, &errs)
		}
	}
}
