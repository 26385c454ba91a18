package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// answers is a model that does what a plan asks for, and deliberates otherwise.
func answers(n int, r *models.Request) modelstest.Reply {
	switch state := r.Messages[len(r.Messages)-1].Text; {
	case strings.Contains(state, "Answer the task by yourself"):
		return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"use jitter","reasons":"it spreads load","confidence":0.8}]}`}
	case strings.Contains(state, "Do not answer the task yet"):
		return modelstest.Reply{Text: `{"say":[{"type":"discovery","finding":"clients retry at once","evidence":"","relevance":1,"confidence":0.8}]}`}
	}
	return decides(n, r)
}

// What the flags say is in the terms and the plan of the run, by which it is decided.
func TestFlagsOfSolveAreItsTermsAndItsPlan(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, answers)
	defer server.Close()
	for name, c := range map[string]struct {
		flags []string
		want  []string // in the log
	}{
		"terms": {
			[]string{"--mode", "deliberate", "--strategy", "voting", "--threshold", "0.9", "--quorum", "3", "--conflicts", "majority"},
			[]string{`"strategy":"voting"`, `"threshold":0.9`, `"quorum":3`, `"conflicts":"majority"`},
		},
		"vote":               {[]string{"--mode", "vote", "--calls", "5"}, []string{`"mode":"vote"`, `"reason":"it was asked for"`, `"calls":5`}},
		"single":             {[]string{"--mode", "single"}, []string{`"mode":"single"`}},
		"facts first":        {[]string{"--mode", "facts-first"}, []string{`"mode":"facts-first"`}},
		"check":              {[]string{"--mode", "check"}, []string{`"mode":"check"`}},
		"auto, by default":   {nil, []string{`"mode":"vote"`, `"reason":"nothing is known that speaks for another mode"`}},
		"auto, facts differ": {[]string{"--facts-differ"}, []string{`"mode":"facts-first"`, `"reason":"facts differ: it was stated"`}},
		"auto, checkable":    {[]string{"--checkable"}, []string{`"mode":"check"`, `"reason":"answers can be checked: it was stated"`}},
	} {
		path := filepath.Join(t.TempDir(), "run.journal")
		args := append([]string{"solve", "Which policy?", "--model", "openai:" + modelstest.Name, "--base-url", server.URL, "--journal", path, "--log"}, c.flags...)
		status, out, errs := swarmbusRun(t, args...)
		if want := map[string]int{"single": cli.ExitContested}[name]; status != want {
			t.Fatalf("%s: status %d: %s%s", name, status, out, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %s in\n%s", name, want, out)
			}
		}
		if planned := strings.Contains(out, `"type":"mode:planned"`); planned != (name != "terms") {
			t.Errorf("%s: there is a plan: %v", name, planned)
		}
	}
	for want, flags := range map[string][]string{
		`--mode "talk" is not`:       {"--mode", "talk"},
		`--strategy "best" is not`:   {"--strategy", "best"},
		"--threshold 0 is not":       {"--threshold", "0"},
		"--threshold 1.1 is not":     {"--threshold", "1.1"},
		"--quorum 0 is not positive": {"--quorum", "0"},
		`--conflicts "duel" is not`:  {"--conflicts", "duel"},
	} {
		if status, _, errs := swarmbusRun(t, append([]string{"solve", "x", "--model", "ollama:m"}, flags...)...); status != cli.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d: %s", flags, status, errs)
		}
	}
}
