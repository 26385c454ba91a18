package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// TestATeamDecidesWhileAModelIsOut has one server that is down, and two agents whose votes come from
// the same model then. What is recorded is replayed, and says who answered.
func TestATeamDecidesWhileAModelIsOut(t *testing.T) {
	clearKeys(t)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	down := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply { return modelstest.Reply{Status: 503} })
	defer down.Close()
	up := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply {
		return modelstest.Reply{
			Text:  `{"say":[{"type":"proposal","content":"use jitter","reasons":"it spreads load","confidence":0.8},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.8}]}`,
			Usage: models.Usage{Input: 500, Output: 40},
		}
	})
	defer up.Close()
	file, run, tape := filepath.Join(dir, "team.yaml"), filepath.Join(dir, "run.journal"), filepath.Join(dir, "run.cassette")
	if err := os.WriteFile(file, []byte(strings.NewReplacer("DOWN", down.URL, "UP", up.URL).Replace(`
models:
  far: {provider: openai, name: large, baseURL: DOWN, price: {input: 1, output: 1}}
  near: {provider: openai, name: large, baseURL: UP, price: {input: 1, output: 1}}
agents:
  - {id: ann, model: far, fallback: [near]}
  - {id: bob, model: near}
  - {id: cid, model: near}
mode: deliberate
budget: 1usd
`)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := swarmbusRun(t, "solve", "Which policy?", "--team", file, "--journal", run, "--record", tape)
	if status != cli.ExitDecided || !strings.Contains(stdout, "ann     round 1: openai:large answered in place of openai:large: models: the provider is overloaded or failed") {
		t.Fatalf("status %d\n%s\n%s", status, stdout, stderr)
	}
	if n := len(down.Requests()); n != 2 {
		t.Errorf("the model that is out was asked %d times", n)
	}
	for _, args := range [][]string{{"verify", run}, {"replay", "--check", run}, {"show", run}, {"solve", "--cassette", tape}} {
		status, stdout, stderr := swarmbusRun(t, args...)
		if status != cli.ExitDecided || args[0] != "verify" && args[0] != "replay" && !strings.Contains(stdout, "answered in place of") {
			t.Errorf("%q: status %d\n%s\n%s", args, status, stdout, stderr)
		}
	}
}
