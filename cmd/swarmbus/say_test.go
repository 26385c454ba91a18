package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// What a person says to a solve that waits is heard when it goes on, in the run of a server and in a
// journal that nobody has open.
func TestAPersonSaysSomethingToASolve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link, end := demoServed(t, dir)
	ask := func(want int, args ...string) (out, errs string) {
		t.Helper()
		status, out, errs := swarmbusRun(t, args...)
		if status != want {
			t.Fatalf("%v: status %d, want %d: %s%s", args, status, want, out, errs)
		}
		return out, errs
	}
	at := []string{"--server", link}
	_, errs := ask(cli.ExitEscalated, append(at, "solve", logsTask, "--team", "platform")...)
	asks := regexp.MustCompile(`--question (\S+) TEXT --thread (\S+) `).FindStringSubmatch(errs)
	if asks == nil {
		t.Fatalf("it does not say how to answer: %s", errs)
	}
	thread := []string{"--thread", asks[2]} // the demo has solves of its own
	if _, errs := ask(cli.ExitError, append(append(at, "say", "platform", "hello", "--to", "nobody"), thread...)...); !strings.Contains(errs, "no agent of the solve") {
		t.Errorf("a message to a stranger: %s", errs)
	}
	said, _ := ask(cli.ExitDecided, append(append(at, "say", "platform", "The auditors need\nninety days.", "--by", "ada"), thread...)...)
	if !strings.Contains(said, "All agents of the solve in thread "+asks[2]) {
		t.Errorf("say printed %s", said)
	}
	end()
	path := filepath.Join(dir, "platform.journal")
	if out, _ := ask(cli.ExitDecided, append(thread, "say", path, "No names in them, please.")...); !strings.Contains(out, "when the solve goes on") {
		t.Errorf("say printed %s", out)
	}
	link, _ = demoServed(t, dir)
	at = []string{"--server", link}
	ask(cli.ExitDecided, append(at, "answer", "platform", "Thirty days, encrypted.", "--question", asks[1])...)
	out, _ := ask(cli.ExitDecided, append(append(at, "show", "platform", "--follow"), thread...)...)
	for _, want := range []string{"ada", "The auditors need ninety days.", "No names in them, please."} {
		if !strings.Contains(out, want) {
			t.Errorf("show lacks %q: %s", want, out)
		}
	}
	if _, errs := ask(cli.ExitError, append(append(at, "say", "platform", "too late"), thread...)...); !strings.Contains(errs, "is over") {
		t.Errorf("a message after the end: %s", errs)
	}
}
