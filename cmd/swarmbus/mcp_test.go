package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

const demoTask = "How often do we retry a payment that timed out?"

// solveBy has a client ask the team of the demo.
func solveBy(t *testing.T, transport sdk.Transport) {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "editor", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // the server ends, which is checked
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "solve", Arguments: map[string]any{"task": demoTask}})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := r.StructuredContent.(map[string]any); got["state"] != "decided" {
		t.Errorf("got %v", got)
	}
}

// Two editors start the program at once, and each server has a journal of its own.
func TestMCPServesEachEditorOverStdio(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var ends []func() error
	for range 2 {
		cmd := exec.Command("swarmbus", "mcp", "--demo", "--dir", dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		solveBy(t, &sdk.IOTransport{Reader: io.NopCloser(out), Writer: keptOpen{in}})
		ends = append(ends, func() error {
			_ = in.Close()
			err := cmd.Wait()
			if stderr.Len() > 0 {
				t.Errorf("it wrote %s", stderr.String())
			}
			return err
		})
	}
	for _, end := range ends {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"platform", "platform-2"} {
		if s, err := journal.Verify(t.Context(), filepath.Join(dir, name+".journal")); err != nil || s.Types[journal.TypeSignal] == 0 {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// keptOpen is closed when the test says so: the program ends then.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// withToken adds a token to requests.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// serving runs a command that prints where it serves MCP and with which token.
func serving(t *testing.T, args ...string) (url, authorization string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- run(ctx, args, printed, &stderr)
		_ = printed.Close()
	}()
	lines := bufio.NewReader(out)
	first, _ := lines.ReadString('\n')
	second, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	url, authorization = strings.TrimPrefix(strings.TrimSpace(first), "MCP is at "), strings.TrimPrefix(strings.TrimSpace(second), "Authorization: ")
	return url, authorization, func() {
		cancel()
		if status := <-ended; status != cli.ExitDecided {
			t.Errorf("status %d: %s", status, stderr.String())
		}
	}
}

func TestMCPOverHTTPNeedsTheToken(t *testing.T) {
	t.Parallel()
	url, authorization, end := serving(t, "mcp", "--demo", "--http=127.0.0.1:0", "--dir", t.TempDir())
	for header, want := range map[string]int{"": http.StatusUnauthorized, "Bearer wrong": http.StatusUnauthorized} {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", header)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("%q: got %s, want %d", header, got.Status, want)
		}
	}
	solveBy(t, &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withToken(authorization)}})
	end()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestMCPRefusesAnAddressThatOthersReach(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"mcp", "--demo", "--http=0.0.0.0:0", "--dir", t.TempDir()}, &stdout, &stderr)
	if status != cli.ExitUsage || !strings.Contains(stderr.String(), "is not a loopback address") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}

// inspector returns the command of the protocol's reference inspector.
func inspector(t *testing.T) string {
	t.Helper()
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(strings.TrimSpace(string(cache)), "swarmbus", "mcp-inspector-2.12.0", "node_modules", ".bin", "mcp-inspector")
	if _, err := os.Stat(command); err != nil || testing.Short() {
		t.Skip("SKIPPED: the inspector is not installed: .ci/inspector installs it where there is npm")
	}
	return command
}

var all = flag.Bool("all", false, "make every call of the inspector over HTTP, too")

func TestTheInspectorUsesEverythingThatMCPOffers(t *testing.T) {
	t.Parallel()
	command, dir := inspector(t), t.TempDir()
	program, err := exec.LookPath("swarmbus")
	if err != nil {
		t.Fatal(err)
	}
	url, authorization, end := serving(t, "mcp", "--demo", "--http=127.0.0.1:0", "--dir", t.TempDir())
	for transport, target := range map[string][]string{
		"stdio": {program, "mcp", "--demo", "--dir", dir},
		"http":  {url, "--transport", "http", "--header", "Authorization: " + authorization},
	} {
		for i, each := range []struct {
			args, want []string
		}{
			{[]string{"tools/list", "--strict"}, []string{`"decide"`, `"solve"`, `"runs"`, `"show"`, `"why"`}},
			{[]string{"tools/call", "--tool-name", "solve", "--tool-arg", "task=" + demoTask}, []string{`"state": "decided"`, `"solve": "platform.`}},
			{[]string{"tools/call", "--tool-name", "runs"}, []string{`"name": "platform"`}},
			{[]string{"tools/call", "--tool-name", "why", "--tool-arg", "solve=platform"}, []string{`"reason": "reached `, `: 6 of 6 agree`}},
			{[]string{"tools/call", "--tool-name", "show", "--tool-arg", "solve=platform"}, []string{`"said"`}},
			{[]string{
				"tools/call", "--tool-name", "decide", "--tool-arg", `proposals=[{"id":"a"},{"id":"b"}]`,
				`votes=[{"voter":"x","proposal":"a"},{"voter":"y","proposal":"a"}]`,
			}, []string{`"choice": "a"`}},
			{[]string{"prompts/list"}, []string{`"name": "platform"`}},
			{[]string{"prompts/get", "--prompt-name", "platform", "--prompt-args", "task=tea"}, []string{"tea"}},
			{[]string{"resources/list"}, []string{"swarmbus://runs/platform/log"}},
			{[]string{"resources/templates/list"}, []string{"swarmbus://runs/{run}/log{?after}"}},
			{[]string{"resources/read", "--uri", "swarmbus://runs/platform/log"}, []string{"task:new"}},
		} {
			if transport == "http" && i > 1 && !*all {
				break // what the server answers does not depend on the transport
			}
			args := append([]string{"--cli"}, target...)
			cmd := exec.CommandContext(t.Context(), command, append(append(args, "--method"), each.args...)...)
			cmd.Env = append(os.Environ(), "HOME="+dir)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			printed, err := cmd.Output()
			if err != nil {
				t.Errorf("%s %v: %v: %s", transport, each.args, err, stderr.String())
				continue
			}
			if !json.Valid(printed) {
				t.Errorf("%s %v: no JSON: %s", transport, each.args, printed)
			}
			for _, want := range each.want {
				if !strings.Contains(string(printed), want) {
					t.Errorf("%s %v: no %s in %s", transport, each.args, want, printed)
				}
			}
		}
	}
	end()
}
