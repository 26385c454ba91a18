package agui_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var link = regexp.MustCompile(`(http://\S+?)/#token=(\S+)`)

// serve starts the console of the demo, and returns its address and token.
func serve(t *testing.T) (base, token string) {
	t.Helper()
	command := filepath.Join(t.TempDir(), "swarmbus")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", command, "../../cmd/swarmbus").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, command, "serve", "--demo", "--pace", "20ms", "--addr", "127.0.0.1:0")
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 10 * time.Second
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = server.Wait() // it was interrupted
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := link.FindStringSubmatch(lines.Text()); found != nil {
			return found[1], found[2]
		}
	}
	t.Fatal("the server prints no link")
	return "", ""
}

// TestFrontendShowsASwarm lets the client of AG-UI give tasks to the team of the demo: one that it
// decides, one for which it asks a person, and one whose tool a person has to allow. Its packages
// have to be installed.
func TestFrontendShowsASwarm(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: no node, so that no frontend of AG-UI shows a swarm")
	}
	if _, err := os.Stat("js/node_modules"); err != nil {
		t.Skip("SKIPPED: the packages are not installed: npm ci in examples/agui/js")
	}
	base, token := serve(t)
	for task, each := range map[string]struct{ answer, want string }{
		"How do we move the orders table to the new schema without losing a write?": {"", "success: decided"},
		"Do we fail over to the second region on Friday?":                           {"once", "TOOL_CALL_RESULT"},
		"How long may we keep the raw access logs?":                                 {"seven-days", "success: decided"},
	} {
		chat := exec.CommandContext(t.Context(), node, "js/chat.mjs", base+"/api/agui/teams/platform", token, task, each.answer)
		said, err := chat.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", task, err)
		}
		if !strings.Contains(string(said), each.want) || !strings.Contains(string(said), "STATE_DELTA") {
			t.Errorf("%s: got\n%s", task, said)
		}
		t.Logf("%s", said)
	}
}
