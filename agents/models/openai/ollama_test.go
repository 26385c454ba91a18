package openai_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/openai"
)

// ollama starts a real Ollama server with home-made models of these names, or skips the
// test where there is none: .ci/ollama builds it.
func ollama(t *testing.T, names ...string) (base string) {
	t.Helper()
	binary := os.Getenv("SWARMBUS_OLLAMA")
	if binary == "" {
		cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		binary = filepath.Join(strings.TrimSpace(string(cache)), "swarmbus", "ollama-v0.17.4")
	}
	if _, err := os.Stat(binary); err != nil {
		if os.Getenv("SWARMBUS_OLLAMA") != "" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED: there is no Ollama server to test against; .ci/ollama builds it")
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := port.Addr().String()
	_ = port.Close()
	dir := t.TempDir()
	server := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "serve")
	server.Env = []string{"HOME=" + dir, "OLLAMA_MODELS=" + filepath.Join(dir, "models"), "OLLAMA_HOST=" + address, "OLLAMA_NO_CLOUD=1", "OLLAMA_KEEP_ALIVE=1m", "PATH=" + os.Getenv("PATH")}
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
	for i := 0; ; i++ {
		if _, err := call(t, base+"/api/version", "", nil); err == nil {
			break
		}
		if i == 100 {
			t.Fatalf("the server does not come up: %s", log.String())
		}
		time.Sleep(50 * time.Millisecond) // another process: nothing tells when it is there
	}
	for i, name := range names {
		file := judge(uint64(i + 1))
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file))
		if _, err := call(t, base+"/api/blobs/"+digest, "application/octet-stream", file); err != nil {
			t.Fatal(err)
		}
		create, _ := json.Marshal(map[string]any{
			"model": name, "files": map[string]string{"model.gguf": digest}, "stream": false,
			"template":   "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}{{ if .Tools }}{{ .Tools }}{{ end }}",
			"parameters": map[string]any{"num_ctx": 8192, "num_thread": 1, "temperature": 0.7},
		})
		if text, err := call(t, base+"/api/create", "application/json", create); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return base
}

func call(t *testing.T, url, contentType string, body []byte) (string, error) {
	t.Helper()
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", contentType)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = errors.New(resp.Status)
	}
	return string(text), err
}

var voteSchema = &models.Schema{Name: "vote", JSON: json.RawMessage(`{"type":"object","properties":{"stance":{"type":"string","enum":["agree","disagree","abstain"]},"reasons":{"type":"string"}},"required":["stance","reasons"],"additionalProperties":false}`)}

func TestRealOllamaServerAnswersInTheSchemaStreamsAndCounts(t *testing.T) {
	base := ollama(t, "judge-1", "judge-2")
	for _, name := range []string{"judge-1", "judge-2"} {
		m, err := openai.New(openai.Options{Provider: "ollama", Model: name, BaseURL: base + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		stances := map[string]int{}
		for i := range 20 {
			pieces := 0
			a, err := m.Ask(t.Context(), &models.Request{
				System: "You judge.", Messages: []models.Message{models.User(fmt.Sprintf("Is proposal %d right?", i))}, Most: 300, Schema: voteSchema, Seed: &i,
				Show: func(models.Piece) { pieces++ },
			})
			if err != nil {
				t.Fatal(err)
			}
			var vote struct{ Stance, Reasons string }
			if err := json.Unmarshal([]byte(a.Text), &vote); err != nil && a.Finish != models.FinishLength {
				t.Errorf("%s: %v: %q", name, err, a.Text)
			}
			if pieces < 2 || a.Usage.Input == 0 || a.Usage.Output == 0 || a.Finish == "" {
				t.Errorf("%s: %d pieces, %+v", name, pieces, a)
			}
			stances[vote.Stance]++
		}
		t.Logf("%s: %v", name, stances)
		if stances["agree"]+stances["disagree"]+stances["abstain"] < 15 {
			t.Errorf("%s: stances %v", name, stances)
		}
	}
}

func TestRealOllamaServerRepeatsWithASeedAndKnowsNoOtherModel(t *testing.T) {
	base := ollama(t, "judge-1")
	m, err := openai.New(openai.Options{Provider: "ollama", Model: "judge-1", BaseURL: base + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	seed, cold := 7, 0.0
	var texts []string
	for range 2 {
		a, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 300, Schema: voteSchema, Seed: &seed, Temperature: &cold})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, a.Text)
	}
	if texts[0] != texts[1] {
		t.Errorf("the same seed answers %q and %q", texts[0], texts[1])
	}
	other, err := openai.New(openai.Options{Provider: "ollama", Model: "nobody", BaseURL: base + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 4}); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("an unknown model: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Time{}
	_, err = m.Ask(ctx, &models.Request{Messages: []models.Message{models.User("Go on and on.")}, Most: 4000, Schema: voteSchema, Show: func(models.Piece) {
		if began.IsZero() {
			began = time.Now()
			cancel()
		}
	}})
	if took := time.Since(began); !errors.Is(err, context.Canceled) || took > 50*time.Millisecond {
		t.Errorf("cancelled: %v, %v later", err, took)
	}
	cancel()
}
