package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

func TestTeamPolicySaysWhichRuleCounts(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	team := file("t.yaml", `name: t
models: {m: {provider: openai, name: large, key: OPENAI_API_KEY}}
servers: {files: {command: [files]}}
agents:
  - {id: a, role: r, model: m, tools: {files/write: {path: "docs/**", policy: allow, else: deny}}}
`)
	for call, want := range map[string]string{
		`{"agent":"a","tool":"files/write","args":{"path":"docs/x.md"}}`:              "allow\n  files/write: allow if path is docs/**, else deny: allow\n",
		`{"agent":"a","tool":"files/write","args":{"path":"src/x.go"}}`:               "deny\n  files/write: allow if path is docs/**, else deny: deny, because path is docs/** does not hold\n",
		`{"agent":"a","tool":"files/read","args":{}}`:                                 "deny\n  no rule is for files/read\n",
		`{"agent":"a","tool":"files/write","args":{"path":"docs/x","path":"/etc/x"}}`: "deny\n  the arguments are unclear: the member \"path\" is there twice\n",
	} {
		if status, out, errs := swarmbusRun(t, "team", "policy", team, file("call.json", call)); status != 0 || out != want {
			t.Errorf("%s: status %d: %q %s, want %q", call, status, out, errs, want)
		}
	}
	for call, want := range map[string]string{`{"agent":"b"}`: `no agent "b"`, `[`: "not a JSON object"} {
		if status, _, errs := swarmbusRun(t, "team", "policy", team, file("call.json", call)); status != cli.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d: %s", call, status, errs)
		}
	}
}
