package natstest_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// What has to be watched of logs can be asked of a console: connection, lag, dead letters, alarms
// and retries of each stream. While the servers are gone it is not well, and says which stream.
func TestConsoleTellsHowItsLogsAre(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := natstest.Start(t, natstest.Options{Processes: true})[0]
	dir := t.TempDir()
	team, config := filepath.Join(dir, "team.yaml"), filepath.Join(dir, "serve.yaml")
	for file, text := range map[string]string{
		team:   "models: {main: {provider: openai, name: large}}\nagents: [{id: planner}, {id: critic}]\n",
		config: "teams: [{team: " + team + ", stream: policy}]\ndir: " + dir + "\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	console := startTalk(t, "serve", "--config", config, "--addr", "127.0.0.1:0", "--stream", "reviews", "--nats", server.URL())
	console.sees(t, "/#token=")
	console.sees(t, "nats: policy: connected to")
	console.sees(t, "nats: reviews: connected to")
	base, token, _ := strings.Cut(regexp.MustCompile(`http://\S+`).FindString(console.text()), "/#token=")
	get := func(path string) string {
		r, err := http.NewRequestWithContext(soon(t), http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close() //nolint:errcheck // only read
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	shows := func(path string, all ...string) {
		t.Helper()
		for ctx := soon(t); ; pause() {
			text, missing := get(path), ""
			for _, want := range all {
				if !strings.Contains(text, want) {
					missing = want
				}
			}
			if missing == "" {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("no %s in\n%s\n%s", missing, text, console.text())
			}
		}
	}
	conn, _ := rawClient(t, server.URL())
	store(t, conn, &nats.Msg{Subject: "policy.log.t.x.ann", Data: []byte("garbage")})
	shows("/api/health", `"ok":true`)
	shows("/api/metrics", `swarmbus_log_connected{stream="policy"} 1`, `swarmbus_log_behind{stream="policy"} 0`, `swarmbus_log_behind{stream="reviews"} 0`,
		`swarmbus_log_dead_letters_total{stream="policy",reason="malformed"} 1`, `swarmbus_log_alarms_total{stream="policy"} 0`, `swarmbus_log_retries_total{stream="reviews"} 0`)
	server.Signal(syscall.SIGSTOP) // the connection does not show it at once
	if text := get("/api/health"); !strings.Contains(text, `"ok":false`) || !strings.Contains(text, "the stream reviews does not answer since 20") {
		t.Errorf("while the server is stopped:\n%s", text)
	}
	server.Signal(syscall.SIGCONT)
	shows("/api/health", `"ok":true`)
	server.Kill()
	shows("/api/health", `"ok":false`, "the stream policy does not answer since 20", "the stream reviews does not answer since 20")
	shows("/api/metrics", `swarmbus_log_connected{stream="policy"} 0`)
	console.sees(t, "nats: policy: disconnected, trying again")
	server.StartProcess(t)
	shows("/api/health", `"ok":true`)
}
