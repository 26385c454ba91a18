package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
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

func TestOtelWithAVariableThatIsNotSupportedIsWrongUsage(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "zipkin")
	var out, errs bytes.Buffer
	args := []string{"decide", "--votes", "../../benchmarks/data/votes/replicats_1", "--otel"}
	if status := run(t.Context(), args, &out, &errs); status != exitUsage || !strings.Contains(errs.String(), "zipkin") {
		t.Errorf("got status %d, %s", status, &errs)
	}
}

func TestOtelIsRefusedWhereNothingIsTraced(t *testing.T) {
	for _, args := range [][]string{{"replay", "run"}, {"show", "run"}, {"version"}} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), append(args, "--otel"), &out, &errs); status != exitUsage || !strings.Contains(errs.String(), "unknown flag: --otel") {
			t.Errorf("%v: got status %d, %s", args, status, &errs)
		}
	}
}
