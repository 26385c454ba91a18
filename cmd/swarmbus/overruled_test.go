package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
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
	if status != exitEscalated {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	status, answered, stderr := swarmbusRun(t, "answer", path, "--vote", "planner-1", "--by", "ada")
	if status != exitDecided {
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
