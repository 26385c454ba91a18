package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// joining writes a team with an agent that joins, and returns its file.
func joining(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "joining.yaml")
	if err := os.WriteFile(file, []byte("agents: [{id: ada, join: SWARMBUS_TEST_ADA}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestServeHasTurnsForAgentsThatJoin(t *testing.T) {
	t.Setenv("SWARMBUS_TEST_ADA", "the token of ada")
	config := filepath.Join(t.TempDir(), "serve.yaml")
	if err := os.WriteFile(config, []byte("teams: ["+joining(t)+"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, printed := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- run(ctx, []string{"serve", "--config", config, "--addr", "127.0.0.1:0", "--dir", t.TempDir()}, printed, &stderr)
		_ = printed.Close()
	}()
	lines := bufio.NewReader(out)
	link, _ := lines.ReadString('\n')
	line, err := lines.ReadString('\n')
	base, found := strings.CutPrefix(strings.TrimSpace(line), "Agents join at ")
	if err != nil || !found {
		t.Fatalf("it printed %q and %q: %v %s", link, line, err, stderr.String())
	}
	_, console, _ := strings.Cut(strings.TrimSpace(link), "#token=")
	for token, want := range map[string]int{"the token of ada": http.StatusNoContent, console: http.StatusUnauthorized} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/turn?wait=0", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("status %d, want %d", got.StatusCode, want)
		}
	}
	cancel()
	if status := <-ended; status != cli.ExitDecided {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}

func TestSolveNamesFlagsThatJoiningNeeds(t *testing.T) {
	team := joining(t)
	for _, c := range []struct {
		token, want string
		args        []string
	}{
		{"", "set SWARMBUS_TEST_ADA", nil},
		{"short", "needs 16", nil},
		{"the token of ada", "not a loopback address", []string{"--join", "0.0.0.0:0"}},
		{"the token of ada", "a cassette cannot have", []string{"--record", filepath.Join(t.TempDir(), "tape")}},
	} {
		t.Setenv("SWARMBUS_TEST_ADA", c.token)
		var stderr bytes.Buffer
		if status := run(t.Context(), append([]string{"solve", "x", "--team", team}, c.args...), io.Discard, &stderr); status == cli.ExitDecided || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, stderr.String())
		}
	}
}
