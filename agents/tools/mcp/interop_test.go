package mcp_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/agents/tools/mcp"
	"github.com/swarmbus/swarmbus/internal/timetest"
)

// installed returns a command that .ci/mcp installs.
func installed(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts servers of others")
	}
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(strings.TrimSpace(string(cache)), "swarmbus", "mcp-2026.8.31-v1.8.0", "node_modules", ".bin", name)
	if _, err := os.Stat(command); err != nil {
		t.Skipf("%s is not installed: .ci/mcp installs it where there is npm", name)
	}
	return command
}

func started(t *testing.T, s mcp.Spec) *mcp.Server {
	t.Helper()
	server, err := mcp.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	if out := server.LeftOut(); len(out) > 0 && s.Name != "sdk" {
		t.Errorf("left out: %v", out)
	}
	return server
}

// match checks the text of a call.
func match(t *testing.T, o tools.Outcome, how tools.How, pattern string) {
	t.Helper()
	if o.How != how || !regexp.MustCompile(pattern).MatchString(o.Text) {
		t.Errorf("%s: %s %q, want %s %s", o.Tool, o.How, o.Text, how, pattern)
	}
}

func TestOthersServerEverything(t *testing.T) {
	t.Parallel()
	s := started(t, mcp.Spec{Name: "all", Command: installed(t, "mcp-server-everything"), Args: []string{"stdio"}})
	set, n := agentsSet(s), &notes{}
	set.Most = 9
	all, _, err := calls(hooks.With(t.Context(), n), set,
		`all/echo {"message":"hello"}`, `all/get-sum {"a":2,"b":3}`, `all/get-structured-content {"location":"Chicago"}`, `all/get-tiny-image`,
		`all/get-resource-links {"count":1}`, `all/get-resource-reference {"resourceType":"Text","resourceId":1}`, `all/echo {"text":"hello"}`,
		`all/trigger-long-running-operation {"duration":0.2,"steps":2}`)
	if err != nil {
		t.Fatal(err)
	}
	for i, pattern := range []string{
		`^Echo: hello$`, `^The sum of 2 and 3 is 5\.$`, `^\{"conditions":".*","humidity":\d+,"temperature":\d+\}$`, `(?s)\[an image, image/png, \d+ bytes, not shown\]`,
		`\[a link to the resource demo://resource/`, `(?s)\[the resource demo://resource/.*, text/plain\]`, `^the arguments do not conform to the schema of all/echo`,
		`^Long running operation completed`,
	} {
		how := tools.Done
		if i == 6 {
			how = tools.Invalid
		}
		match(t, all[i], how, pattern)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.all) == 0 {
		t.Error("the long operation reported no progress")
	}
}

// TestOthersServerFilesystem reads a directory, and asks before it writes.
func TestOthersServerFilesystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("the first line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set := agentsSet(started(t, mcp.Spec{Name: "files", Command: installed(t, "mcp-server-filesystem"), Args: []string{dir}}))
	all := called(t, set, `files/read_text_file {"path":"`+file+`"}`, `files/list_directory {"path":"`+dir+`"}`, `files/read_text_file {"path":"/etc/passwd"}`)
	match(t, all[0], tools.Done, `the first line`)
	match(t, all[1], tools.Done, `\[FILE\] a\.txt`)
	match(t, all[2], tools.Failed, `Access denied`)
	_, _, err := calls(t.Context(), set, `files/write_file {"path":"`+file+`","content":"x"}`)
	var asks *asking.Error
	if !errors.As(err, &asks) || !strings.Contains(err.Error(), "ann wants to call files/write_file with ") {
		t.Errorf("got %v", err)
	}
	set.May = append(set.May, tools.Rule{Tools: "files/write_file", Policy: tools.Allow})
	match(t, called(t, set, `files/write_file {"path":"`+file+`","content":"x"}`)[0], tools.Done, `Successfully wrote`)
	if text, err := os.ReadFile(file); string(text) != "x" {
		t.Errorf("written %q, %v", text, err)
	}
}

func TestOthersServersOfTheGoSDK(t *testing.T) {
	t.Parallel()
	memory := agentsSet(started(t, mcp.Spec{Name: "memory", Command: installed(t, "sdk-memory")}))
	memory.May = []tools.Rule{{Tools: "memory/*", Policy: tools.Allow}}
	all := called(t, memory, `memory/create_entities {"entities":[{"name":"jitter","entityType":"word","observations":["chance"]}]}`, `memory/search_nodes {"query":"jitter"}`, `memory/search_nodes {"word":1}`)
	match(t, all[0], tools.Done, `jitter`)
	match(t, all[1], tools.Done, `"chance"`)
	match(t, all[2], tools.Invalid, `memory/search_nodes`)

	everything := installed(t, "sdk-everything")
	overStdio := started(t, mcp.Spec{Name: "sdk", Command: everything})
	for _, s := range []*mcp.Server{overStdio, started(t, mcp.Spec{Name: "sdk", URL: serving(t, everything)})} {
		set := agentsSet(s)
		set.May = []tools.Rule{{Tools: "sdk/*", Policy: tools.Allow}}
		all := called(t, set, `sdk/greet {"name":"Ann"}`, `sdk/sample {}`)
		match(t, all[0], tools.Done, `^Hi Ann`)
		if !all[1].IsError { // it wants to ask our model
			t.Errorf("got %+v", all[1])
		}
		if out := s.LeftOut(); len(out) == 0 || !strings.Contains(out[0].Error(), "elicit") {
			t.Errorf("left out: %v", out)
		}
	}
}

// serving starts a server over HTTP, and returns its URL.
func serving(t *testing.T, command string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	cmd := exec.Command(command, "-http", address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	timetest.Until(t, "it listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return "http://" + address
}
