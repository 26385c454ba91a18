package a2a_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// swarmbus builds the command, once.
var swarmbus = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "swarmbus-a2a-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "swarmbus")
	return path, exec.Command("go", "build", "-o", path, "../../cmd/swarmbus").Run() //nolint:noctx // it is waited for
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := swarmbus(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// command returns the path of the command and of node, or skips the test.
func command(t *testing.T) (path, node string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: no node, so that no agent of A2A's SDK for JavaScript is spoken to")
	}
	if _, err := os.Stat("js/node_modules"); err != nil {
		t.Skip("SKIPPED: the packages are not installed: npm ci in examples/a2a/js")
	}
	if path, err = swarmbus(); err != nil {
		t.Fatal(err)
	}
	return path, node
}

// start starts a program until the test ends, and returns what it prints first that matches.
func start(t *testing.T, printed *regexp.Regexp, program ...string) []string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p := exec.CommandContext(ctx, program[0], program[1:]...)
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.WaitDelay = 10 * time.Second
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_, _ = io.Copy(io.Discard, out)
		_ = p.Wait() // it was interrupted
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := printed.FindStringSubmatch(lines.Text()); found != nil {
			return found
		}
	}
	t.Fatalf("%v prints nothing that matches %v", program, printed)
	return nil
}

var (
	link    = regexp.MustCompile(`(http://\S+?)/#token=(\S+)`)
	address = regexp.MustCompile(`^(http://\S+)$`)
)

// TestOthersAskATeam lets the client of the SDK give tasks to the team of the demo, one of which
// asks back. The server learns meanwhile, so that the decision and its dissent vary.
func TestOthersAskATeam(t *testing.T) {
	t.Parallel()
	path, node := command(t)
	at := start(t, link, path, "serve", "--demo", "--pace", "20ms", "--addr", "127.0.0.1:0")
	for task, want := range map[string][]string{
		"How do we move the orders table to the new schema without losing a write?": {"decision: ", "TASK_STATE_COMPLETED"},
		"How long may we keep the raw access logs?":                                 {"> seven-days", "decision: Keep raw logs for 7 days", "TASK_STATE_COMPLETED"},
	} {
		client := exec.CommandContext(t.Context(), node, "js/client.mjs", at[1]+"/api/a2a/platform", at[2], task, "seven-days")
		said, err := client.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", task, err)
		}
		for _, w := range append(want, "A2A 1.0 alone is refused") {
			if !strings.Contains(string(said), w) {
				t.Errorf("%s: %q is missing in\n%s", task, w, said)
			}
		}
		t.Logf("%s", said)
	}
}

// TestOthersAreMembers lets two agents of the SDK decide as members of a team, one of which speaks
// A2A 1.0 and the other one 0.3.
func TestOthersAreMembers(t *testing.T) {
	t.Parallel()
	path, node := command(t)
	solve := exec.CommandContext(t.Context(), path, "solve", "Which port?", "--team", "team.yaml")
	solve.Env = append(
		os.Environ(), "VOTER_A="+start(t, address, node, "js/agent.mjs", "1.0", "8080")[1], "VOTER_B="+start(t, address, node, "js/agent.mjs", "0.3", "8080")[1],
	)
	said, err := solve.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "8080") || strings.Contains(string(said), "failed in round") {
		t.Errorf("%v: %s", err, said)
	}
	t.Logf("%s", said)
}
