package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// An agent of A2A answers with events that never end. Its turns end at the time limit of its
// model, the run names it, and the others decide.
func TestAnA2AAgentThatStreamsForEverIsNamedAndTheOthersDecide(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/agent-card.json") {
			_, _ = io.WriteString(w, `{"name":"x","url":"http://`+r.Host+`/rpc","protocolVersion":"0.3.0","preferredTransport":"JSONRPC"}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			_, err := io.WriteString(w, `data: {"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t","status":{"state":"working"}}}`+"\n\n")
			if err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			time.Sleep(time.Millisecond) // real time: it is another program
		}
	}))
	defer endless.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("TEAM_KEY", modelstest.Key)
	t.Setenv("TEAM_SERVER", server.URL)
	t.Setenv("ENDLESS", endless.URL)
	file := filepath.Join(t.TempDir(), "team.yaml")
	text := `models:
  main: {provider: openai, name: ` + modelstest.Name + `, baseURL: "${TEAM_SERVER}", key: TEAM_KEY}
  endless: {provider: a2a, name: endless, baseURL: "${ENDLESS}", limits: {timeout: 200ms, tries: 1}}
agents:
  - {id: planner, model: main, role: "You plan."}
  - {id: critic, model: main, role: "You doubt."}
  - {id: builder, model: main, role: "You build."}
  - {id: endless, model: endless}
mode: deliberate
deadline: 2m
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := swarmbusRun(t, "solve", "Which policy?", "--team", file)
	if status != cli.ExitDecided || !strings.Contains(out, "use jitter") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if !strings.Contains(out, "endless failed in round 1: models: no answer in time: a2a:endless") {
		t.Errorf("the agent is not named: %s%s", out, errs)
	}
}
