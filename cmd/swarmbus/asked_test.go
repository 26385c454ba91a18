package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// asksTwice is a model whose agents each write a file of their name, and then pass.
func asksTwice(_ int, r *models.Request) modelstest.Reply {
	who, _, _ := strings.Cut(strings.TrimPrefix(r.System, "You are "), ",")
	if len(r.Messages[len(r.Messages)-1].Results) > 0 || !strings.Contains(r.Messages[len(r.Messages)-1].Text, "Round 1.") {
		return modelstest.Reply{Text: `{"say":[{"type":"pass","reason":"done"}]}`}
	}
	return modelstest.Reply{Calls: []models.Call{{ID: "c", Name: "files__write", Args: json.RawMessage(`{"name":"` + who + `.md","text":"x"}`)}}}
}

// writers returns the file of a team whose agents ask before they write a file.
func writers(t *testing.T, name, url string, agents ...string) (path string) {
	t.Helper()
	text := `
name: ` + name + `
models: {m: {provider: openai, name: large, baseURL: "` + url + `"}}
servers: {files: {command: [` + builtServer(t) + `], env: [TRIAGE_DIR]}}
mode: deliberate
rounds: 2
agents:
`
	for _, id := range agents {
		text += "  - {id: " + id + ", role: r, model: m, tools: {files/write: ask}}\n"
	}
	path = filepath.Join(t.TempDir(), name+".yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two agents ask at once: a person answers the call that was shown, by its id, and never whatever
// is first in a list.
func TestAnAnswerIsForTheCallThatItNames(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	p := atTriage(t)
	server := modelstest.NewServer(modelstest.OpenAI, asksTwice)
	defer server.Close()
	team := writers(t, "two", server.URL, "one", "two")
	status, _, errs := swarmbusRun(t, "solve", "t", "--team", team, "--journal", p.run)
	ids := map[string]string{}
	for _, of := range regexp.MustCompile(`(?s)agent: (\w+)\n.*?--call (\w+) --allow\n`).FindAllStringSubmatch(errs, -1) {
		ids[of[1]] = of[2]
	}
	if status != cli.ExitEscalated || len(ids) != 2 || ids["one"] == ids["two"] {
		t.Fatalf("status %d, ids %q: %s", status, ids, errs)
	}
	written := func() (names []string) {
		for _, name := range []string{"one", "two"} {
			if _, err := os.Stat(filepath.Join(p.dir, name+".md")); err == nil {
				names = append(names, name)
			}
		}
		return names
	}
	status, out, _ := swarmbusRun(t, "answer", p.run)
	if status != cli.ExitDecided || !strings.Contains(out, ids["one"]) || !strings.Contains(out, ids["two"]) {
		t.Errorf("the list has status %d: %s", status, out)
	}
	for _, verdict := range [][]string{{"--allow"}, {"--deny", "no"}, {"just text"}} {
		status, _, errs := swarmbusRun(t, append([]string{"answer", p.run}, verdict...)...)
		if status != cli.ExitUsage || !strings.Contains(errs, "--call") {
			t.Errorf("%q without the id of a call has status %d: %s", verdict, status, errs)
		}
	}
	if status, _, errs := swarmbusRun(t, "answer", p.run, "--allow", "--call", "0"); status != cli.ExitUsage || !strings.Contains(errs, `no question has the id "0"`) {
		t.Errorf("with the id of nothing: status %d: %s", status, errs)
	}
	status, _, errs = swarmbusRun(t, "answer", p.run, "--call", ids["two"][:12], "--deny", "not this one", "--by", "ada")
	if status != cli.ExitEscalated || !strings.Contains(errs, ids["one"]) || strings.Contains(errs, ids["two"]) || len(written()) > 0 {
		t.Fatalf("after the first answer: status %d, written %q: %s", status, written(), errs)
	}
	status, _, errs = swarmbusRun(t, "answer", p.run, "--call", ids["two"], "--allow", "--by", "bob")
	if status == cli.ExitDecided || !strings.Contains(errs, `ada said "deny: not this one" at `) || len(written()) > 0 {
		t.Errorf("a second answer: status %d, written %q: %s", status, written(), errs)
	}
	// Somebody who has read the first screen pastes what was right for it: one is left.
	if status, _, errs := swarmbusRun(t, "answer", p.run, "--allow"); status != cli.ExitUsage || !strings.Contains(errs, "--call or --question is required") || len(written()) > 0 {
		t.Errorf("without an id: status %d, written %q: %s", status, written(), errs)
	}
	if status, _, errs := swarmbusRun(t, "answer", p.run, "yes", "--call", ids["one"]); status != cli.ExitUsage || !strings.Contains(errs, "it takes --allow, --deny REASON") {
		t.Errorf("a text to a call: status %d: %s", status, errs)
	}
	_, out, errs = swarmbusRun(t, "answer", p.run, "--call", ids["one"], "--allow", "--thread", "solve-00000001-1")
	if !strings.Contains(errs, "Allowed (once): one wants to call files/write with ") {
		t.Errorf("it does not say what was answered: %s", errs)
	}
	if got := written(); len(got) != 1 || got[0] != "one" || !strings.Contains(out, "a person has denied the call of files/write: not this one") {
		t.Errorf("written %q: %s%s", got, out, errs)
	}
	status, out, errs = swarmbusRun(t, "verify", p.run, "--receipts")
	if receipt := "allowed by person, once, at "; status != cli.ExitDecided || strings.Count(out, "called files/write") != 1 || !strings.Contains(out, receipt) || !strings.Contains(out, ids["one"]) {
		t.Errorf("the receipts have status %d: %s%s", status, out, errs)
	}
	if status, out, errs := swarmbusRun(t, "grants", p.run, "--quiet"); status != cli.ExitDecided || out != "" {
		t.Errorf("what was allowed once is a grant: status %d: %s%s", status, out, errs)
	}
	_, exported, _ := swarmbusRun(t, "export", p.run)
	for what, change := range map[string][2]string{
		"what was sent is not what was allowed": {`"sent":"`, `"sent":"0`},
		"has no answer before it":               {`"question":"`, `"question":"0`},
		"and it names no question":              {`"question":"`, `"noQuestion":"`},
		"is of a program that kept no receipts": {`"tool":"files/write","sent"`, `"sent"`},
		`the answer of person was "deny"`:       {`"verdict":"once"`, `"verdict":"deny","reason":"no"`},
		"what was shown is not on record":       {`"shown":"`, `"shown":"0`},
	} {
		planted := filepath.Join(t.TempDir(), "planted")
		lines := strings.Split(exported, "\n")
		for i, line := range lines {
			if strings.Contains(line, `"begun":true`) || strings.Contains(line, `"by":"person"`) {
				lines[i] = strings.Replace(line, change[0], change[1], 1)
			}
		}
		if err := os.WriteFile(planted+".jsonl", []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, errs := swarmbusRun(t, "import", planted+".jsonl", planted); status != cli.ExitDecided {
			t.Fatalf("import of %q: %s", what, errs)
		}
		if status, _, errs := swarmbusRun(t, "verify", planted, "--receipts"); status != cli.ExitError || !strings.Contains(errs, what) {
			t.Errorf("with %q changed: status %d: %s", change[0], status, errs)
		}
	}
}

func TestAGrantIsListedAndTakenBack(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	p := atTriage(t)
	server := modelstest.NewServer(modelstest.OpenAI, asksTwice)
	defer server.Close()
	team := writers(t, "one", server.URL, "one")
	_, _, errs := swarmbusRun(t, "solve", "t", "--team", team, "--journal", p.run)
	id := regexp.MustCompile(`--call (\w+) --allow\n`).FindStringSubmatch(errs)
	if id == nil {
		t.Fatalf("nothing was asked: %s", errs)
	}
	swarmbusRun(t, "answer", p.run, "--call", id[1], "--allow=solve", "--by", "ada")
	listed := func(flags ...string) string {
		status, out, errs := swarmbusRun(t, append([]string{"grants", p.run}, flags...)...)
		if status != cli.ExitDecided {
			t.Errorf("%q: status %d: %s", flags, status, errs)
		}
		return out
	}
	if out := listed("--json"); !strings.Contains(out, `"question":"`+id[1]) || !strings.Contains(out, `"by":"ada"`) || listed("-q") != id[1]+"\n" {
		t.Errorf("the grant: %s", out)
	}
	if status, _, errs := swarmbusRun(t, "grants", p.run, "--revoke", "0"); status != cli.ExitUsage || !strings.Contains(errs, "0 grants with an id that begins so") {
		t.Errorf("to revoke nothing has status %d: %s", status, errs)
	}
	if out := listed("--revoke", id[1][:8], "--by", "bob"); !strings.Contains(out, "Taken back: one wants to call files/write") || listed() != "" {
		t.Errorf("taken back: %s", out)
	}
	if _, out, _ := swarmbusRun(t, "verify", p.run, "--receipts"); !strings.Contains(out, "allowed by ada, solve, at ") {
		t.Errorf("the receipts: %s", out)
	}
}
