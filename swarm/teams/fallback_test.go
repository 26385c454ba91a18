package teams_test

import (
	"context"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

const falling = `
models: {large: {provider: openai, name: l}, small: {provider: ollama, name: s}, vectors: {provider: openai, name: v}}
memory: {store: m.db, embeddings: vectors}
agents: [{id: a, model: large, fallback: [small]}, {id: b, model: small}]
`

func TestAnAgentFallsBackToTheModelsOfTheTeam(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse("team.yaml", []byte(falling))
	if err != nil {
		t.Fatal(err)
	}
	o, err := team.Build(teams.Parts{Memory: knows{}, Models: func(name string) models.Model {
		return &models.Scripted{Name: name, Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			if name == "large" {
				return nil, &models.Error{Problem: models.ErrOverloaded}
			}
			return models.Text("from " + name), nil
		}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	m := o.Agents[0].Reactor.(*thinker.Thinker).Model
	if a, err := m.Ask(t.Context(), &models.Request{Most: 9}); err != nil || a.Text != "from small" || m.ID().Name != "large" {
		t.Errorf("got %+v, %v of %v", a, err, m.ID())
	}
	if m := o.Agents[1].Reactor.(*thinker.Thinker).Model; m.ID().Name != "small" {
		t.Errorf("b asks %v", m.ID())
	}
}

func TestAFallbackThatCannotBeIsAnError(t *testing.T) {
	t.Parallel()
	for fallback, want := range map[string]string{
		"[smal]":         `agents[0].fallback[0]: no model is called "smal"; did you mean "small"?`,
		"[vectors]":      `agents[0].fallback[0]: "vectors" makes the vectors of the memory`,
		"[large]":        `agents[0].fallback[0]: "large" is asked already`,
		"[small, small]": `agents[0].fallback[1]: "small" is asked already`,
	} {
		_, err := teams.Parse("team.yaml", []byte(strings.Replace(falling, "[small]", fallback, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", fallback, err, want)
		}
	}
	if _, err := teams.Parse("team.yaml", []byte(strings.Replace(falling, "model: large, ", "join: TOKEN, ", 1))); err == nil || !strings.Contains(err.Error(), "fallback: is not for an agent that joins") {
		t.Errorf("got %v", err)
	}
}
