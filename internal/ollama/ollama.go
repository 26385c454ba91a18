// Package ollama starts a real Ollama server with home-made models, for tests: it
// proves the wire, not the wit.
package ollama

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A Model is a small one with random weights. With a schema it answers in it.
type Model struct {
	Name string
	Seed uint64 // models of other seeds judge otherwise
	// Likes is a word that it says before others where a schema allows it; "": none.
	Likes string
	// Says is what it says where no schema binds it, such as [Call]; "": anything.
	Says string
}

// Call is a call of a tool as the models' template has it.
func Call(tool, args string) string {
	return fmt.Sprintf(`<tool_call>{"name":%q,"arguments":%s}`, tool, args) + callEnd
}

const callEnd = "</tool_call>"

// template is that of the models. What it has around calls is where the server looks
// for them in answers.
const template = `{{ if .Tools }}tools: {{ .Tools }}
{{ end }}{{ range .Messages }}{{ .Role }}: {{ .Content }}{{ if .ToolCalls }}<tool_call>{{ range .ToolCalls }}{"name":"{{ .Function.Name }}","arguments":{{ .Function.Arguments }}}{{ end }}` + callEnd + `{{ end }}
{{ end }}`

// Serve starts a server with these models, which stops with the test, and returns its
// address. Where there is no server it skips the test: .ci/ollama builds it.
func Serve(t testing.TB, all ...Model) (base string) {
	t.Helper()
	binary := find(t)
	address := free(t)
	dir := t.TempDir()
	server := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "serve") //nolint:gosec // it is ours
	server.Env = []string{"HOME=" + dir, "OLLAMA_MODELS=" + filepath.Join(dir, "models"), "OLLAMA_HOST=" + address, "OLLAMA_NO_CLOUD=1", "OLLAMA_KEEP_ALIVE=1m", "OLLAMA_MAX_LOADED_MODELS=8", "PATH=" + os.Getenv("PATH")}
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM) // a killed server leaves its runners
		_ = server.Wait()
		if t.Failed() {
			t.Logf("%s", log.Bytes()[max(0, log.Len()-9000):])
		}
	})
	base = "http://" + address
	for i := 0; call(t, base+"/api/version", "", nil) != nil; i++ {
		if i == 200 {
			t.Fatal("the server does not come up")
		}
		time.Sleep(50 * time.Millisecond) // another process: nothing tells when it is there
	}
	for _, m := range all {
		if err := m.create(t, base); err != nil {
			t.Fatalf("model %s: %v", m.Name, err)
		}
	}
	return base
}

// find returns the server's program.
func find(t testing.TB) string {
	t.Helper()
	binary := os.Getenv("SWARMBUS_OLLAMA")
	if binary == "" {
		t.Skip("SKIPPED: SWARMBUS_OLLAMA names no server to test against; .ci/ollama builds one, and .ci/run tests with it")
	}
	return binary
}

// free returns a free address.
func free(t testing.TB) string {
	t.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // at once
	if err != nil {
		t.Fatal(err)
	}
	_ = port.Close()
	return port.Addr().String()
}

func (m Model) create(t testing.TB, base string) error {
	file := m.file()
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	if err := call(t, base+"/api/blobs/"+digest, "application/octet-stream", file); err != nil {
		return err
	}
	create, err := json.Marshal(map[string]any{
		"model": m.Name, "files": map[string]string{"model.gguf": digest}, "stream": false, "template": template,
		"parameters": map[string]any{"num_ctx": context32k / 2, "num_thread": 1, "temperature": 0.7, "stop": []string{callEnd}},
	})
	if err != nil {
		return err
	}
	return call(t, base+"/api/create", "application/json", create)
}

func call(t testing.TB, url, contentType string, body []byte) error {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", contentType)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}
