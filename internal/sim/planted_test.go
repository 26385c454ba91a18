package sim_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var planted = flag.Bool("planted", false, "plant faults in the packages, one after the other, and look whether they are found")

// Faults of the past, put back, are found. Without -planted, which builds the packages anew for each, only their places are.
func TestPlantedFaultsAreFound(t *testing.T) {
	for _, of := range []struct{ what, file, is, was string }{
		{"an end that can be resumed closes its thread", "swarm/runlog/decided.go", "p.Stop != StopEscalated && !p.Open", "p.Stop != StopEscalated"},
		{"a tool whose panic ends the process", "agents/tools/calls.go", "err = agents.Panicked(ctx, t.Full(), v)", "panic(v)"},
		{"a call that began is made again unasked", "agents/tools/calls.go", "first.By == mine.By || now.Hints.repeats()", "first.By == mine.By || q.Attempt == 0"},
		{"a decision is returned that the journal lacks", "swarm/record.go", "s.keeper == nil || len(r.thread.Log) == 0", "s.keeper == nil || len(r.thread.Log) > 0"},
		{"turns of an outage are not taken again", "swarm/internal/seat/recall.go", "t.Again = t.Failed && now.Decided.Payload.Stop.GoesOn()", "t.Again = false"},
		{"a fact that was said before a kill is forgotten", "swarm/resume.go", "for i := range r.thread.Log {", "for i := range r.thread.Log[:0] {"},
		{"an answered question is answered again", "swarm/runlog/questions.go", "case of.Answer != nil && !revokes:", "case of.Answer != nil && !revokes && of.Open:"},
	} {
		t.Run(of.what, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("../..", of.file))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil || strings.Count(string(text), of.is) != 1 {
				t.Fatalf("%s has %q %d times: %v", of.file, of.is, strings.Count(string(text), of.is), err)
			}
			if !*planted {
				return
			}
			other, overlay := filepath.Join(t.TempDir(), "planted.go"), filepath.Join(t.TempDir(), "overlay.json")
			replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: other}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{other: strings.Replace(string(text), of.is, of.was, 1), overlay: string(replace)} {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", overlay, ".").CombinedOutput()
			if err == nil || strings.Contains(string(out), "[build failed]") {
				t.Fatalf("it is not found: %v: %s", err, out)
			}
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "_test.go:") || strings.HasPrefix(line, "panic:") {
					t.Log(strings.TrimSpace(line))
					break
				}
			}
		})
	}
}
