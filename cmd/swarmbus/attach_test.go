package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// TestFilesAreAttachedToATask has a server that takes texts alone: the model is told what it misses, and
// the run has the files with their hashes, which it is replayed with.
func TestFilesAreAttachedToATask(t *testing.T) {
	clearKeys(t)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	plot, notes, large := filepath.Join(dir, "plot.png"), filepath.Join(dir, "notes.md"), filepath.Join(dir, "large.bin")
	for name, text := range map[string]string{plot: "\x89PNG\r\n\x1a\nabc", notes: "It is a plot of sales.", large: strings.Repeat("x", 512<<10+1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := modelstest.NewServer(modelstest.OpenAI, func(_ int, r *models.Request) modelstest.Reply {
		first := r.Messages[0].Text
		if !strings.Contains(first, "It is a plot of sales.") || !strings.Contains(first, "You cannot read the file") {
			t.Errorf("the model is shown %s", first)
		}
		return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"sales","reasons":"r","confidence":0.8}]}`, Usage: models.Usage{Input: 500, Output: 40}}
	})
	defer server.Close()
	run, tape := filepath.Join(dir, "run.journal"), filepath.Join(dir, "run.cassette")
	solve := []string{"solve", "What does it show?", "--model", "openai:large", "--base-url", server.URL, "--mode", "vote", "--attach", plot, "--attach", notes, "--record", tape}
	status, stdout, stderr := swarmbusRun(t, solve...)
	if status != cli.ExitDecided || !strings.Contains(stderr, "the server refused files") {
		t.Fatalf("status %d\n%s\n%s", status, stdout, stderr)
	}
	again, replayed, stderr := swarmbusRun(t, "solve", "--cassette", tape)
	if again != cli.ExitDecided || !strings.Contains(replayed, `reached "planner-1"`) {
		t.Errorf("replayed: status %d\n%s\n%s", again, replayed, stderr)
	}
	if status, _, stderr := swarmbusRun(t, append(solve[:len(solve)-2:len(solve)-2], "--journal", run)...); status != cli.ExitDecided {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	if _, log, _ := swarmbusRun(t, "log", run, "--json"); !strings.Contains(log, `"sha256":"`) || !strings.Contains(log, `"plot.png"`) {
		t.Errorf("the log is %s", log)
	}
	if status, _, stderr := swarmbusRun(t, "verify", run); status != 0 {
		t.Errorf("verify: %s", stderr)
	}
	for want, file := range map[string]string{"more than 524288 bytes together": large, "no such file": filepath.Join(dir, "none")} {
		if status, _, stderr := swarmbusRun(t, "solve", "Q", "--model", "openai:large", "--attach", file); status != cli.ExitUsage || !strings.Contains(stderr, "--attach: ") || !strings.Contains(stderr, want) {
			t.Errorf("status %d: %s, want %q", status, stderr, want)
		}
	}
}
