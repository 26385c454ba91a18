package export_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/otel/oteltest"
)

// TestJaegerShowsAMessageInARoom types into the office of the examples: Veda asks Reed, who
// sends mail to Via in another room. Package otel tests that a model's and a tool's calls are
// inside of a turn.
func TestJaegerShowsAMessageInARoom(t *testing.T) {
	j := startJaeger(t)
	out, errs := typed(t, j, "What does it cost?\n/wait\nIs the backup whole?\n/wait\n")
	traces := j.page(t, "/api/traces?service=swarmbus&limit=20&lookback=1h")
	if len(traces) != 2 {
		t.Fatalf("%d traces, want one for each message; the program says\n%s%s", len(traces), out, errs)
	}
	var trees []string
	total := 0
	for _, shown := range traces {
		spans := j.trace(t, shown.TraceID)
		total += len(spans)
		trees = append(trees, oteltest.Tree(spans, routine...))
	}
	if strings.Contains(trees[0], "Via") { // Jaeger has the newest first
		trees[0], trees[1] = trees[1], trees[0]
	}
	golden(t, "rooms.txt", strings.Join(trees, "\n"))
	if got, want := counted.FindString(errs), fmt.Sprintf("otel: %d spans, 0 lost", total); got != want {
		t.Errorf("the program says %q, Jaeger has %q", got, want)
	}
}

// typed runs the office of the examples with --otel, and types into it.
func typed(t *testing.T, j *jaeger, lines string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, "./cmd/swarmbus"), "rooms", "examples/rooms/office.yaml",
		"--otel", "--run", filepath.Join(t.TempDir(), "office.journal"))
	cmd.Dir, cmd.Env = root, append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+j.http, "OTEL_METRICS_EXPORTER=none")
	var out, errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s%s", err, &out, &errs)
	}
	return out.String(), errs.String()
}
