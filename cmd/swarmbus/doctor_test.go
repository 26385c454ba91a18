package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// saysOK is a model that answers with a word.
func saysOK(int, *models.Request) modelstest.Reply {
	return modelstest.Reply{Text: "ok", Usage: models.Usage{Input: 9, Output: 1}}
}

// doctored writes a team for the doctor, and returns its findings by check and name.
func doctored(t *testing.T, team string, wantStatus int) map[string]finding {
	t.Helper()
	file := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(file, []byte(team), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := swarmbusRun(t, "doctor", "--team", file, "--json", "--timeout", "5m")
	if status != wantStatus {
		t.Errorf("status %d, want %d: %s%s", status, wantStatus, out, errs)
	}
	all := map[string]finding{}
	for line := range strings.Lines(out) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if f.OK != (f.Todo == "") || f.Detail == "" || f.TookMs < 0 {
			t.Errorf("%+v: what failed has something to do, and the rest has not", f)
		}
		all[f.Check+" "+f.Name] = f
	}
	return all
}

func TestDoctorTriesEverythingForReal(t *testing.T) {
	p := atTriage(t)
	state := t.TempDir()
	server := modelstest.NewServer(modelstest.OpenAI, saysOK)
	defer server.Close()
	spans := 0
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { spans++ }))
	defer collector.Close()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("DOCTOR_KEY", modelstest.Key)
	all := doctored(t, `
models: {main: {provider: openai, name: `+modelstest.Name+`, baseURL: "`+server.URL+`", key: DOCTOR_KEY}}
servers: {files: {command: ["`+builtServer(t)+`"], env: [TRIAGE_DIR]}}
agents: [{id: a}]
`, cli.ExitDecided)
	for check, want := range map[string]string{
		"model main": "openai:" + modelstest.Name + " answers, with 9 tokens in and 1 out", "server files": "3 tools: list, read, write",
		"journal " + filepath.Join(state, "swarmbus"): "written and synced", "otlp " + collector.URL: "a span was accepted",
	} {
		if got := all[check]; !got.OK || got.Detail != want {
			t.Errorf("%s: got %+v, want %s", check, got, want)
		}
	}
	if calls := p.calls(t); len(server.Requests()) != 1 || spans == 0 || calls != "" || len(all) != 4 {
		t.Errorf("%d requests, %d spans, the server was called %q, %d findings", len(server.Requests()), spans, calls, len(all))
	}
	if left, err := os.ReadDir(filepath.Join(state, "swarmbus")); err != nil || len(left) > 0 {
		t.Errorf("%v: it left %v", err, left)
	}
}

func TestDoctorSaysWhatToDoAndShowsNoSecret(t *testing.T) {
	const secret = "hunter2-9876543210"
	server := modelstest.NewServer(modelstest.OpenAI, saysOK)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", file)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("DOCTOR_WRONG", secret)
	t.Setenv("DOCTOR_NONE", "")
	all := doctored(t, `
models:
  wrong: {provider: openai, name: `+modelstest.Name+`, baseURL: "`+server.URL+`", key: DOCTOR_WRONG}
  none: {provider: anthropic, name: claude, key: DOCTOR_NONE}
  down: {provider: ollama, name: qwen3, baseURL: "http://127.0.0.1:1/v1"}
servers:
  tells: {command: [sh, -c, "echo my token is $DOCTOR_WRONG >&2; exit 3"], env: [DOCTOR_WRONG]}
  away: {url: "http://127.0.0.1:1/mcp"}
agents: [{id: a, model: down}]
`, cli.ExitError)
	for check, want := range map[string]string{
		"model wrong": "set DOCTOR_WRONG to a key of openai", "model none": "set DOCTOR_NONE to a key of anthropic", "model down": "start Ollama",
		"server tells": "run it by hand: sh -c", "server away": "look at the url", "journal " + filepath.Join(file, "swarmbus"): "make the directory writable",
		"otlp http://127.0.0.1:1": "start the receiver",
	} {
		if got := all[check]; got.OK || !strings.Contains(got.Todo, want) {
			t.Errorf("%s: got %+v, want %s", check, got, want)
		}
	}
	for check, f := range all {
		if strings.Contains(f.Detail+f.Todo, secret) {
			t.Errorf("%s shows the secret: %+v", check, f)
		}
	}
	if got := all["server tells"].Detail; !strings.Contains(got, "my token is $DOCTOR_WRONG") {
		t.Errorf("what the server wrote is not shown: %s", got)
	}
}

// TestAPolicyOfAToolThatIsNotThereIsRefused misspells the tool that is denied, which the policy
// of all tools of the server would allow.
func TestAPolicyOfAToolThatIsNotThereIsRefused(t *testing.T) {
	p := atTriage(t)
	server := modelstest.NewServer(modelstest.OpenAI, saysOK)
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	team := `
models: {main: {provider: openai, name: ` + modelstest.Name + `, baseURL: "` + server.URL + `"}}
servers: {files: {command: ["` + builtServer(t) + `"], env: [TRIAGE_DIR]}}
agents: [{id: a, tools: {"files/*": allow, files/wrtie: deny}}]
`
	const want = `agents[0].tools: server files has no tool "files/wrtie"; did you mean "files/write"?`
	if got := doctored(t, team, cli.ExitError)["server files"]; got.OK || !strings.Contains(got.Detail, want) {
		t.Errorf("doctor: got %+v", got)
	}
	dir := t.TempDir()
	file, run := filepath.Join(dir, "team.yaml"), filepath.Join(dir, "run.journal")
	if err := os.WriteFile(file, []byte(team), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := swarmbusRun(t, "solve", "x", "--team", file, "--journal", run); status != cli.ExitError || !strings.Contains(stderr, want) {
		t.Errorf("solve: status %d: %s", status, stderr)
	}
	if _, err := os.Stat(run); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the solve that did not begin left a journal: %v", err)
	}
	if calls := p.calls(t); calls != "" {
		t.Errorf("the server was called: %s", calls)
	}
}

// TestDoctorDoesNotWaitForEver has a model's server and a command that hang.
func TestDoctorDoesNotWaitForEver(t *testing.T) {
	over := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer hangs.Close()
	defer close(over)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(file, []byte(`
models: {main: {provider: ollama, name: m, baseURL: "`+hangs.URL+`/v1"}}
servers: {files: {command: [sleep, "3600"]}}
agents: [{id: a}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := swarmbusRun(t, "doctor", "--team", file, "--timeout", "300ms")
	if status != cli.ExitError || strings.Count(out, "FAILED") != 2 {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

func TestDoctorWithoutATeamTriesTheRest(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	if status, out, errs := swarmbusRun(t, "doctor"); status != cli.ExitDecided || !strings.HasPrefix(out, "ok  journal ") || strings.Count(out, "\n") != 1 {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	for want, args := range map[string][]string{
		"--timeout 0s is not positive": {"--timeout", "0s"}, "is not PROVIDER:NAME": {"--model", "x"}, "unexpected argument": {"x"}, "--team is empty": {"--team", ""},
	} {
		if status, _, errs := swarmbusRun(t, append([]string{"doctor"}, args...)...); status != cli.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d: %s", args, status, errs)
		}
	}
}
