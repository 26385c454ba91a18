package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/otel/oteltest"
)

var update = flag.Bool("update", false, "rewrite the expected trees in testdata")

// A jaeger is a real one, on ports of its own.
type jaeger struct{ api, http, grpc string }

// binary returns where Jaeger is. Nothing else of this package is skipped.
func binary(t *testing.T) string {
	t.Helper()
	name := os.Getenv("SWARMBUS_JAEGER")
	if name == "" {
		t.Skip("NOT TESTED against a real Jaeger: SWARMBUS_JAEGER names none; bash .ci/jaeger builds one, and .ci/run tests with it")
	}
	return name
}

func startJaeger(t *testing.T) *jaeger {
	t.Helper()
	name := binary(t)
	ports := freePorts(t, 4)
	cmd := exec.Command(name, "--config", filepath.Join("..", "jaegertest", "jaeger.yaml"))
	cmd.Env = append(os.Environ(), "JAEGER_HTTP="+ports[0], "JAEGER_GRPC="+ports[1], "OTLP_HTTP="+ports[2], "OTLP_GRPC="+ports[3])
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		http.DefaultClient.CloseIdleConnections()
		if t.Failed() {
			t.Logf("Jaeger said:\n%s", &said)
		}
	})
	j := &jaeger{"http://127.0.0.1:" + ports[0], "http://127.0.0.1:" + ports[2], "http://127.0.0.1:" + ports[3]}
	timetest.Until(t, "Jaeger is ready", func() bool {
		_, err := j.get(t.Context(), "/api/v3/services")
		return err == nil
	})
	return j
}

func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

func (j *jaeger) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, j.api+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", path, resp.Status, &body)
	}
	return body.Bytes(), nil
}

// trace reads a trace back and reports its problems: from the API, and from the
// endpoint that the page reads, which must have no warning.
func (j *jaeger) trace(t *testing.T, id string) []oteltest.Span {
	t.Helper()
	body, err := j.get(t.Context(), "/api/v3/traces/"+id)
	if err != nil {
		t.Fatal(err)
	}
	spans, err := oteltest.FromJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range oteltest.Problems(spans) {
		t.Error(problem)
	}
	shown := j.page(t, "/api/traces/"+id)
	if len(shown) != 1 || len(shown[0].Spans) != len(spans) {
		t.Errorf("the page shows other spans than the API has, which has %d", len(spans))
	}
	return spans
}

// A shown trace is one as the page gets it.
type shown struct {
	TraceID string
	Spans   []shownSpan
}

type shownSpan struct {
	SpanID, OperationName string
	Duration              int // microseconds
	Tags                  []shownTag
	Logs                  []struct{ Fields []shownTag }
	Warnings              []string
}

type shownTag struct {
	Key   string
	Value any
}

// tag returns the value of a tag of the span or of one of its events, as text.
func (s *shownSpan) tag(key string) string {
	all := s.Tags
	for _, l := range s.Logs {
		all = append(all, l.Fields...)
	}
	for _, tag := range all {
		if tag.Key == key {
			return fmt.Sprint(tag.Value)
		}
	}
	return ""
}

// page reads traces from an endpoint of the page.
func (j *jaeger) page(t *testing.T, path string) []shown {
	t.Helper()
	body, err := j.get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Data []shown }
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	for _, trace := range answer.Data {
		for _, s := range trace.Spans {
			if len(s.Warnings) > 0 {
				t.Errorf("%s: the page warns: %q", s.OperationName, s.Warnings)
			}
		}
	}
	return answer.Data
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; rewrite with -update):\n%s", file, diff)
	}
}

// programs are those that were built, by package.
var programs = map[string]string{}

// program builds a program of this repository, once, and returns its file.
func program(t *testing.T, pkg string) string {
	t.Helper()
	if file := programs[pkg]; file != "" {
		return file
	}
	dir, err := os.MkdirTemp("", "swarmbus-*")
	if err != nil {
		t.Fatal(err)
	}
	programs[pkg] = filepath.Join(dir, filepath.Base(pkg))
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "otel", "-o", programs[pkg], pkg)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return programs[pkg]
}

const root = "../.."

// call runs a program at the root, with variables of its own.
func call(t *testing.T, name string, env []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

var (
	traceURL = regexp.MustCompile(`/trace/([0-9a-f]{32})`)
	counted  = regexp.MustCompile(`otel: (\d+) spans, (\d+) lost`)
	first    = regexp.MustCompile(`first ([0-9a-f]{32})`)
)

// routine are attributes that say the name again or are the same everywhere.
var routine = []string{
	"messaging.system", "messaging.operation.name", "messaging.operation.type", "messaging.destination.name", "messaging.message.id",
	"gen_ai.conversation.id", "gen_ai.operation.name", "gen_ai.agent.id", "gen_ai.agent.name", "gen_ai.workflow.name",
	"swarmbus.thread", "swarmbus.deliveries.slowest", "swarmbus.deliveries.slowest_reader", "swarmbus.threshold", "swarmbus.quorum",
	"swarmbus.seed", "swarmbus.failed", "swarmbus.strategy",
}

// three are the names of the traces of examples/jaeger, in their order.
var three = []string{"decided.txt", "rejected.txt", "escalated.txt"}

func TestJaegerShowsThreeDecisions(t *testing.T) {
	j := startJaeger(t)
	for protocol, endpoint := range map[string]string{"http/protobuf": j.http, "grpc": j.grpc} {
		out := decisions(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL="+protocol)
		urls := traceURL.FindAllStringSubmatch(out, -1)
		if len(urls) != len(three) {
			t.Fatalf("got %s, want %d traces", out, len(three))
		}
		total := 0
		for i, name := range three {
			spans := j.trace(t, urls[i][1])
			total += len(spans)
			hide := routine
			if i == 0 {
				hide = nil
			}
			golden(t, name, oteltest.Tree(spans, hide...))
		}
		if got, want := counted.FindString(out), fmt.Sprintf("otel: %d spans, 0 lost", total); got != want {
			t.Errorf("%s: the program says %q, Jaeger has %q", protocol, got, want)
		}
	}
}

// decisions runs examples/jaeger.
func decisions(t *testing.T, env ...string) string {
	t.Helper()
	out, errs, err := call(t, program(t, "./examples/jaeger"), env)
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	return out
}

func TestTraceThatIsNotSampledHasNoAddress(t *testing.T) {
	collector(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent to %s", r.URL) })
	out := decisions(t, "OTEL_TRACES_SAMPLER=always_off")
	if strings.Contains(out, "/trace/") || strings.Count(out, "not sampled") != len(three) {
		t.Errorf("got %s, want no addresses", out)
	}
}

func TestJaegerShowsAReview(t *testing.T) {
	j := startJaeger(t)
	out, errs, err := call(t, program(t, "./examples/review"), []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + j.http}, "-otel", "-log", messy)
	id := first.FindStringSubmatch(errs)
	if err != nil || id == nil {
		t.Fatalf("%v: %s", err, errs)
	}
	spans := j.trace(t, id[1])
	if got, want := counted.FindString(errs), fmt.Sprintf("otel: %d spans, 0 lost", len(spans)); got != want {
		t.Errorf("the program says %q, Jaeger has %q", got, want)
	}
	golden(t, "review.txt", oteltest.Tree(spans, append(routine,
		"swarmbus.seq", "swarmbus.reply_to", "swarmbus.target", "swarmbus.turn.heard", "swarmbus.round", "swarmbus.support", "swarmbus.confidence",
		"swarmbus.shortfall", "swarmbus.reason", "swarmbus.turn.dropped", "swarmbus.turn.said")...))
	published := 0
	for _, s := range spans {
		if s.Kind == "PRODUCER" {
			published++
		}
	}
	if signals := strings.Count(out, "\n"); published != signals {
		t.Errorf("%d publish spans, want one for each of %d signals", published, signals)
	}
}

const messy = "examples/review/inspect/testdata/messy"
