package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

// script is the model: the planner proposes, the others vote for what is proposed.
func script(_ int, r *models.Request) modelstest.Reply {
	said := `{"say":[{"type":"pass","reason":"nothing to add"}]}`
	proposed := strings.Contains(r.Messages[len(r.Messages)-1].Text, `{"proposal":"P1"`)
	switch {
	case strings.HasPrefix(r.System, "You are planner,") && !proposed:
		said = `{"say":[{"type":"proposal","content":"exponential backoff with jitter","reasons":"it spreads the load","confidence":0.8}]}`
	case strings.HasPrefix(r.System, "You are critic,") && proposed:
		said = `{"say":[{"type":"vote","proposal":"P1","reasons":"jitter takes clients out of step","stance":"agree","confidence":0.9}]}`
	case strings.HasPrefix(r.System, "You are verifier,") && proposed:
		said = `{"say":[{"type":"vote","proposal":"P1","reasons":"five tries end within 3 s","stance":"agree","confidence":0.8}]}`
	}
	return modelstest.Reply{Text: said}
}

// README.md shows what the program prints.
func TestTheReadmeShowsTheOutput(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, script)
	defer server.Close()
	t.Setenv("OPENAI_BASE_URL", server.URL)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	got := printed(t, modelstest.Name)
	doc, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(doc), "<!-- output of examples/team -->\n```text\n")
	shown, _, _ = strings.Cut(shown, "```")
	if diff := cmp.Diff(shown, got); diff != "" {
		t.Errorf("-README.md +printed:\n%s", diff)
	}
}

// printed runs the program with an argument.
func printed(t *testing.T, arg string) string {
	t.Helper()
	args, stdout := os.Args, os.Stdout
	defer func() { os.Args, os.Stdout = args, stdout }()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Args, os.Stdout = []string{"team", arg}, w
	main()
	_ = w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
