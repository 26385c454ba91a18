package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// A team of a file learns from solve to solve, and from the outcomes that are told of them; each run is derived from its own log,
// and a cassette plays a solve as it was, whatever was learned since.
func TestALedgerLastsFromSolveToSolve(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	dir := t.TempDir()
	ledger, tape := filepath.Join(dir, "team.ledger"), filepath.Join(dir, "tape")
	at := func(n int) string { return filepath.Join(dir, fmt.Sprint(n, ".journal")) }
	solve := func(n int, more ...string) string {
		t.Helper()
		args := append([]string{"solve", fmt.Sprint("Policy ", n, "?"), "--mode", "deliberate", "--agents", "5", "--model", "openai:" + modelstest.Name, "--base-url", server.URL, "--ledger", ledger, "--log"}, more...)
		status, out, stderr := swarmbusRun(t, args...)
		if status != cli.ExitDecided {
			t.Fatalf("%d: status %d: %s%s", n, status, out, stderr)
		}
		return out
	}
	for n := range 6 {
		solve(n, "--journal", at(n))
	}
	says(t, "outcome", at(0), "--none")
	says(t, "outcome", at(3), "use jitter")
	recorded := solve(6, "--journal", at(6), "--record", tape)
	if !strings.Contains(recorded, `"decision":{"strategy":"default"`) {
		t.Errorf("the seventh solve knows nothing of the others:\n%s", recorded)
	}
	solve(7) // without a journal
	if list, _ := says(t, "agents", at(6)); strings.Count(list, "1 of 2") != 5 {
		t.Errorf("what the seventh knew:\n%s", list)
	}
	for n := range 7 {
		if status, out, stderr := swarmbusRun(t, "replay", at(n), "--check"); status != cli.ExitDecided {
			t.Errorf("replay %d: %s%s", n, out, stderr)
		}
	}
	if status, again, stderr := swarmbusRun(t, "solve", "--cassette", tape, "--log"); status != cli.ExitDecided || again != recorded {
		t.Errorf("the cassette: %d %s\n%s\nwas\n%s", status, stderr, again, recorded)
	}
	l, err := ledgerFile(ledger).read()
	if err != nil || l.Len() != 8 {
		t.Errorf("the ledger has %d decisions, %v", l.Len(), err)
	}
	other := filepath.Join(dir, "other.ledger")
	says(t, "agents", at(6), "--ledger", other)
	if l, err := ledgerFile(other).read(); err != nil || l.Len() != 7 {
		t.Errorf("exported: %d decisions, %v", l.Len(), err)
	}
	if err := os.WriteFile(ledger, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := swarmbusRun(t, "solve", "x", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--ledger", ledger); status != cli.ExitError || !strings.Contains(stderr, "team.ledger cannot be read") {
		t.Errorf("a damaged ledger: %d %s", status, stderr)
	}
}

func TestALedgerIsBesideTheJournalOfATeam(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	for _, c := range []struct{ named, beside, want string }{
		{"", "", ""},
		{"", "/runs/a.journal", "/runs/a.ledger"},
		{"/runs/b.json", "/runs/a.journal", "/runs/b.json"},
		{"team", "", "/state/swarmbus/team.ledger"},
	} {
		if got, err := ledgerAt(c.named, c.beside); err != nil || string(got) != c.want {
			t.Errorf("%q beside %q: got %q, %v", c.named, c.beside, got, err)
		}
	}
}
