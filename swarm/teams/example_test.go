package teams_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"regexp"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func ExampleTeam_Build() {
	team, err := teams.Parse("team.yaml", []byte(`
models:
  large: {provider: openai, name: gpt-4.1}
  small: {provider: ollama, name: qwen3}
agents:
  - {id: planner, role: You find a policy and propose it., model: large}
  - {id: critic, role: You look for what is wrong with it., model: small}
threshold: 0.8
`))
	if err != nil {
		log.Fatal(err)
	}
	// Package providers makes real models.
	scripted := map[string]models.Model{
		"large": models.Script(`{"say":[{"type":"proposal","content":"use jitter","reasons":"it spreads load","confidence":0.8},
			{"type":"vote","proposal":"new","reasons":"it spreads load","stance":"agree","confidence":0.8}]}`),
		"small": models.Script(`{"say":[{"type":"pass","reason":"there is no proposal yet"}]}`,
			`{"say":[{"type":"vote","proposal":"P1","reasons":"nothing is wrong","stance":"agree","confidence":0.9}]}`),
	}
	o, err := team.Build(teams.Parts{Models: func(name string) models.Model { return scripted[name] }})
	if err != nil {
		log.Fatal(err)
	}
	s, err := swarm.New(o)
	if err != nil {
		log.Fatal(err)
	}
	result, err := s.Solve(context.Background(), signals.Task{Task: "Which retry policy?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", result.Stop, result.Answer)
	if err := s.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: answered: use jitter
}

func ExampleParse() {
	_, err := teams.Parse("team.yaml", []byte(`
models:
  main: {provider: openai, name: gpt-4.1}
agents:
  - {id: planner, rolle: You find a policy and propose it.}
`))
	fmt.Println(err)
	// Output: team.yaml:5:19: agents[0].rolle: there is no such key; did you mean "role"?
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.+?)```")

func TestDocumentedFilesAreTeams(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/teams.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := yamlBlock.FindAllStringSubmatch(string(text), -1)
	for _, block := range blocks {
		if _, err := teams.Parse("docs/teams.md", []byte(block[1])); err != nil {
			t.Error(err)
		}
		if err := conforms(t, block[1]); err != nil {
			t.Error(err)
		}
	}
	if len(blocks) == 0 {
		t.Error("there is no file in the document")
	}
}
