package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// remembering returns a team with a memory and a model that answers.
func remembering(t *testing.T, store string) string {
	t.Helper()
	server := modelstest.NewServer(modelstest.OpenAI, saysOK)
	t.Cleanup(server.Close)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	return "memory: {store: " + store + "}\nmodels: {main: {provider: openai, name: " + modelstest.Name + ", baseURL: \"" + server.URL + "\"}}\nagents: [{id: a}]\n"
}

func TestDoctorTriesTheMemoryAndLeavesNothingInIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "facts.db")
	for range 2 {
		if got := doctored(t, remembering(t, file), cli.ExitDecided)["memory "+file]; !got.OK || got.Detail != "a fact was written, read and removed" || got.TookMs == 0 {
			t.Errorf("got %+v", got)
		}
	}
	store, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // nothing is written
	if left, err := store.Linked(t.Context(), "doctor"); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	if n, err := store.Sweep(t.Context(), time.Now()); err != nil || n > 0 {
		t.Errorf("it left %d facts, %v", n, err)
	}
}

func TestDoctorSaysWhatToDoAboutAMemory(t *testing.T) {
	corrupt := filepath.Join(t.TempDir(), "facts.db")
	if err := os.WriteFile(corrupt, []byte(strings.Repeat("this is no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	const secret = "postgres://me:hunter2-98765@127.0.0.1:1/facts" //nolint:gosec // of nobody
	t.Setenv("DOCTOR_MEMORY", secret)
	for store, want := range map[string]string{
		corrupt: "restore the file from a backup, or move it away", filepath.Join(corrupt, "x"): "make the directory", "DOCTOR_MEMORY": "look at DOCTOR_MEMORY",
	} {
		got := doctored(t, remembering(t, store), cli.ExitError)["memory "+store]
		if got.OK || !strings.Contains(got.Todo, want) || strings.Contains(got.Detail+got.Todo, "hunter2") {
			t.Errorf("%s: got %+v, want %s", store, got, want)
		}
	}
	if text, err := os.ReadFile(corrupt); err != nil || !strings.HasPrefix(string(text), "this is no database") {
		t.Errorf("the file was changed: %v", err)
	}
}
