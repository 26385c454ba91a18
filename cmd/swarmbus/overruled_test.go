package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// differs is a model whose planner and critic answer differently, however often they are asked.
func differs(_ int, r *models.Request) modelstest.Reply {
	content, why := "use jitter", "it spreads load"
	if strings.HasPrefix(r.System, "You are critic,") {
		content, why = "give up", "it is simple"
	}
	return modelstest.Reply{Text: `{"say":[{"type":"proposal","content":"` + content + `","reasons":"` + why + `","because":[],"confidence":0.8}]}`}
}

// A person's vote on a tie settles it. Who was for the other answer has not changed its mind.
func TestAnAnswerLeavesTheDissent(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, differs)
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "run.journal")
	status, out, stderr := swarmbusRun(t, "solve", "Which policy?", "--agents", "2", "--mode", "vote", "--conflicts", "escalate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--journal", path)
	if status != cli.ExitEscalated {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	status, answered, stderr := swarmbusRun(t, "answer", path, questionIn(t, path), "--vote", "planner-1", "--by", "ada")
	if status != cli.ExitDecided {
		t.Fatalf("status %d: %s%s", status, answered, stderr)
	}
	_, shown, _ := swarmbusRun(t, "show", path)
	for name, text := range map[string]string{"answer": answered, "show": shown} {
		text = text[strings.LastIndex(text, "Votes"):]
		for _, want := range []string{"Dissent   critic", " agree critic-1: it is simple", "critic-1 lost its conflict; 1 agree with it"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q: %s", name, want, text)
			}
		}
	}
	_, text, _ := swarmbusRun(t, "show", path, "--answer")
	if want := "Against it is critic, for give up ["; !strings.Contains(text, want) || !strings.Contains(text, "it is simple [") {
		t.Errorf("the answer lacks %q: %s", want, text)
	}
	_, why, _ := swarmbusRun(t, "show", path, "--why")
	if !strings.Contains(why, "before       1 of 2 for planner-1, of those who had heard no answer") || !strings.Contains(why, "after        2 of 3 for planner-1") {
		t.Errorf("who is asked has heard the answers: %s", why)
	}
}

// voted is a run of three that vote, of whom the critic differs, and the places of their answers.
func voted(t *testing.T) (path string, answers map[string][]string) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, differs)
	t.Cleanup(server.Close)
	path, answers = filepath.Join(t.TempDir(), "run.journal"), map[string][]string{}
	status, out, stderr := swarmbusRun(t, "solve", "Which policy?", "--mode", "vote", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--journal", path)
	if status != cli.ExitDecided {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	_, log, _ := swarmbusRun(t, "log", path, "--json")
	for line := range strings.Lines(log) {
		var s struct {
			Seq          int
			Type, Source string
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.Type == "proposal" {
			answers[s.Source] = append(answers[s.Source], fmt.Sprint(s.Seq))
		}
	}
	return path, answers
}

// Of an agent that has given the same answer several times another one counts then.
func TestAnAnswerDoesNotFallWhileOthersForItCount(t *testing.T) {
	path, answers := voted(t)
	first := answers["planner"][0]
	if len(answers["verifier"]) < 2 {
		t.Fatalf("the answers are %v", answers)
	}
	var out string
	for _, seq := range append(answers["planner"], answers["verifier"][0]) {
		_, out, _ = swarmbusRun(t, "retract", path, seq, "a mistake")
	}
	if strings.Contains(out, "falls     ["+first+"]") {
		t.Errorf("verifier has answered so again: %s", out)
	}
	for _, seq := range answers["verifier"][1:] {
		_, out, _ = swarmbusRun(t, "retract", path, seq, "a mistake")
	}
	if !strings.Contains(out, "falls     ["+first+"]") {
		t.Errorf("nobody answers so any more: %s", out)
	}
}

// A log has no account of deliveries and does not count turns, which are not shown as 0.
func TestShowLeavesOutWhatALogDoesNotHave(t *testing.T) {
	path, _ := voted(t)
	_, out, _ := swarmbusRun(t, "show", path, "--json")
	stopped := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
	if strings.Contains(stopped, `"turns":`) || strings.Contains(stopped, `"account":`) || !strings.Contains(stopped, `"calls":`) {
		t.Error(stopped)
	}
}

func TestRetractNeedsAReason(t *testing.T) {
	if status, _, stderr := swarmbusRun(t, "retract", "run", "14"); status != cli.ExitUsage || !strings.Contains(stderr, "a reason") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

func TestATeamOfAServerHasItsOwnName(t *testing.T) {
	for name, want := range map[string]string{"": "team", "retries": "retries", "a.b": "team", "../x": "team"} {
		if got := teamName(&teams.Team{Name: name}, "dir/team.yaml"); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
