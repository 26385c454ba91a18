package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// TestAnAnswerConformsToASchema has agents answer in different forms of JSON, one of them wrongly at first.
// What is recorded is shown, verified and replayed by the schema in the log, whatever has become of the file.
func TestAnAnswerConformsToASchema(t *testing.T) {
	clearKeys(t)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	var asked atomic.Int32
	server := modelstest.NewServer(modelstest.OpenAI, func(n int, r *models.Request) modelstest.Reply {
		value := `{"severity":2.0,"owner":"\u0041nn"}`
		switch {
		case strings.Contains(r.System, "You are bob") && asked.Add(1) == 1:
			value = `{"severity":"two","owner":"Ann"}`
		case strings.Contains(r.System, "You are cid"):
			value = `"{\"owner\":\"Bob\",\"severity\":2}"`
		}
		return modelstest.Reply{
			Text:  fmt.Sprintf(`{"say":[{"type":"proposal","content":%s,"reasons":"r","confidence":0.8}]}`, value),
			Usage: models.Usage{Input: 500, Output: 40},
		}
	})
	defer server.Close()
	file, schema, run, tape := filepath.Join(dir, "team.yaml"), filepath.Join(dir, "incident.json"), filepath.Join(dir, "run.journal"), filepath.Join(dir, "run.cassette")
	for name, text := range map[string]string{
		file:   "models: {m: {provider: openai, name: large, baseURL: " + server.URL + ", price: {input: 1, output: 1}}}\nagents: [{id: ann}, {id: bob}, {id: cid}]\nmode: vote\nanswer: {schema: incident.json}\n",
		schema: `{"type":"object","properties":{"severity":{"type":"integer"},"owner":{"type":"string"}},"required":["severity","owner"]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, stdout, stderr := swarmbusRun(t, "solve", "How bad is it, and whose?", "--team", file, "--journal", run, "--record", tape, "--threshold", "0.6")
	if err := os.Remove(schema); err != nil {
		t.Fatal(err)
	}
	table := []string{`{"owner":"Ann","severity":2}`, `owner     "Ann"  2 of 3; "Bob": cid`, `severity  2      3 of 3`}
	check := func(status int, stdout, stderr string) {
		t.Helper()
		for _, want := range table {
			if status != cli.ExitDecided || !strings.Contains(stdout, want) {
				t.Fatalf("status %d, want %s\n%s\n%s", status, want, stdout, stderr)
			}
		}
	}
	check(status, stdout, stderr)
	if !strings.Contains(stdout, "1 repaired, 0 refused") {
		t.Errorf("bob was not asked once more:\n%s", stdout)
	}
	check(swarmbusRun(t, "show", run))
	check(swarmbusRun(t, "solve", "--cassette", tape))
	for _, args := range [][]string{{"verify", run}, {"replay", "--check", run}} {
		if status, stdout, stderr := swarmbusRun(t, args...); status != cli.ExitDecided {
			t.Errorf("%q: status %d\n%s\n%s", args, status, stdout, stderr)
		}
	}
	if _, stdout, stderr := swarmbusRun(t, "show", "--json", run); !strings.Contains(stdout, `"fields":[{"path":"owner","value":"Ann","agree":2,"of":3,"other":[{"value":"Bob","by":["cid"]}]}`) {
		t.Errorf("as JSON\n%s\n%s", stdout, stderr)
	}
}

func TestASchemaThatCannotBeReadIsAMistake(t *testing.T) {
	clearKeys(t)
	dir := t.TempDir()
	none, list := filepath.Join(dir, "none.json"), filepath.Join(dir, "list.json")
	if err := os.WriteFile(list, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{{none, "none.json"}, {list, "not the JSON schema of an object"}, {"", "--schema is empty"}} {
		status, _, stderr := swarmbusRun(t, "solve", "q", "--model", "ollama:m", "--schema", c.file)
		if status != cli.ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d: %s", c.file, status, stderr)
		}
	}
}
