package teams_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func withTools(t *testing.T, rules string) (*teams.Team, error) {
	t.Helper()
	return teams.Parse("t.yaml", []byte(`name: t
models: {m: {provider: openai, name: large, key: OPENAI_API_KEY}}
servers: {files: {command: [files]}, pay: {command: [pay]}}
agents:
  - {id: a, role: r, model: m, tools: `+rules+`}
`))
}

func TestRulesByArgumentAreReadAndWritten(t *testing.T) {
	t.Parallel()
	team, err := withTools(t, `{files/read: allow, files/write: {path: "docs/**", policy: allow}, "pay/*": [{amount: "<= 100", dry: true, policy: allow, else: ask}, {to: "evil*", policy: deny}]}`)
	if err != nil {
		t.Fatal(err)
	}
	written, err := yaml.Marshal(team)
	if err != nil {
		t.Fatal(err)
	}
	again, err := teams.Parse("t.yaml", written)
	if diff := cmp.Diff(team, again); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	var got []string
	for _, name := range []string{"files/read", "files/write", "pay/*"} {
		rules, err := team.Agents[0].Tools[name].Rules(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			got = append(got, r.String())
		}
	}
	want := []string{"files/read: allow", "files/write: allow if path is docs/**", "pay/*: allow if amount <= 100 and dry is true, else ask", "pay/*: deny if to is evil*"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRulesByArgumentThatMeanNothingAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]string{
		`{files/write: {path: "docs/**", policy: alow}}`:             `"alow" is not one of`,
		`{files/write: {path: [a], policy: allow}}`:                  "a condition is a glob or a comparison",
		`{files/write: {amount: "=< 7", policy: allow}}`:             "not a comparison",
		`{files/write: {else: ask, policy: allow}}`:                  "without a condition",
		`{files/write: {path: "docs/**", polcy: allow}}`:             `did you mean "policy"?`,
		`{files/write: {policy: ask, on_expiry: deny}}`:              `did you mean "onExpiry"?`,
		`{files/write: {check: "", policy: allow}}`:                  "want a command",
		`{files/write: {policy: ask, expires: soon}}`:                "not a duration",
		`{files/write: {policy: ask, expires: 5m, onExpiry: shrug}}`: "not one of",
		`{files/write: {policy: ask, onExpiry: deny}}`:               "want how long a question waits",
		`{files/write: [deny]}`:                                      "not a list of rules",
		`{nosuch/write: {path: "docs/**", policy: deny}}`:            `no server is called "nosuch"`,
	} {
		_, err := withTools(t, rules)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "t.yaml:5:") {
			t.Errorf("%s: %v", rules, err)
		}
	}
}

func TestAQuestionExpiresByItsRule(t *testing.T) {
	t.Parallel()
	team, err := withTools(t, `{files/write: {policy: ask, expires: 10m, onExpiry: escalate}}`)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := team.Agents[0].Tools["files/write"].Rules("files/write")
	want := []tools.Rule{{Tools: "files/write", Policy: tools.Ask, Expires: 10 * time.Minute, OnExpiry: asking.ExpiryEscalates}}
	if diff := cmp.Diff(want, rules); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Its scripts need nothing but a shell: the machine may have no other programs.
func TestACheckIsACommandThatGetsTheCall(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	dir := t.TempDir()
	script := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		return file
	}
	for name, c := range map[string]struct {
		check string
		want  tools.Policy
	}{
		"reads":    {script("reads", `read -r call; case $call in *'"path":"a"'*) echo allow ;; *) echo deny ;; esac`), tools.Allow},
		"words":    {script("words", `echo $1`) + " deny", tools.Deny},
		"nothing":  {script("nothing", `true`), tools.Ask},
		"fails":    {script("fails", `echo allow; exit 1`), tools.Ask},
		"chats":    {script("chats", `while echo allow; do :; done`), tools.Ask},
		"no key":   {script("key", `test -z "$OPENAI_API_KEY" && echo allow`), tools.Allow},
		"is gone":  {filepath.Join(dir, "gone"), tools.Ask},
		"is wrong": {script("wrong", `echo maybe`), tools.Ask},
	} {
		text, _ := json.Marshal([]map[string]string{{"check": c.check}})
		rules, err := teams.Policy(text).Rules("files/write")
		if err != nil {
			t.Fatal(err)
		}
		if got := tools.Judge(t.Context(), rules, "a", tools.Spec{Server: "files", Name: "write"}, json.RawMessage(`{"path":"a"}`)); got.Policy != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}
