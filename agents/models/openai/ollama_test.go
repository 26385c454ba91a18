package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/internal/ollama"
)

var voteSchema = &models.Schema{Name: "vote", JSON: json.RawMessage(`{"type":"object","properties":{"stance":{"type":"string","enum":["agree","disagree","abstain"]},"reasons":{"type":"string"}},"required":["stance","reasons"],"additionalProperties":false}`)}

// stanceSchema has no free text, in which the coldest models go round in circles.
var stanceSchema = &models.Schema{Name: "stance", JSON: json.RawMessage(`{"type":"object","properties":{"stance":{"type":"string","enum":["agree","disagree","abstain"]}},"required":["stance"],"additionalProperties":false}`)}

func TestRealOllamaServerAnswersInTheSchemaStreamsAndCounts(t *testing.T) {
	base := ollama.Serve(t, ollama.Model{Name: "judge-1", Seed: 1}, ollama.Model{Name: "judge-2", Seed: 2})
	for _, name := range []string{"judge-1", "judge-2"} {
		m := opened(t, openai.Options{Provider: "ollama", Model: name, BaseURL: base + "/v1"})
		stances := map[string]int{}
		for i := range 20 {
			pieces := 0
			a, err := m.Ask(t.Context(), &models.Request{
				System: "You judge.", Messages: []models.Message{models.User(fmt.Sprintf("Is proposal %d right?", i))}, Most: 300, Schema: voteSchema, Seed: &i,
				Show: func(models.Piece) { pieces++ },
			})
			if err != nil {
				t.Fatal(err)
			}
			var vote struct{ Stance, Reasons string }
			if err := json.Unmarshal([]byte(a.Text), &vote); err != nil && a.Finish != models.FinishLength {
				t.Errorf("%s: %v: %q", name, err, a.Text)
			}
			if pieces < 2 || a.Usage.Input == 0 || a.Usage.Output == 0 || a.Finish == "" {
				t.Errorf("%s: %d pieces, %+v", name, pieces, a)
			}
			stances[vote.Stance]++
		}
		t.Logf("%s: %v", name, stances)
		if stances["agree"]+stances["disagree"]+stances["abstain"] < 15 {
			t.Errorf("%s: stances %v", name, stances)
		}
	}
}

func TestRealOllamaServerRepeatsWithASeedAndKnowsNoOtherModel(t *testing.T) {
	base := ollama.Serve(t, ollama.Model{Name: "judge-1", Seed: 7})
	m := opened(t, openai.Options{Provider: "ollama", Model: "judge-1", BaseURL: base + "/v1"})
	seed, cold := 7, 0.0
	var texts []string
	for range 2 {
		a, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 300, Schema: stanceSchema, Seed: &seed, Temperature: &cold})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, a.Text)
	}
	if texts[0] != texts[1] {
		t.Errorf("the same seed answers %q and %q", texts[0], texts[1])
	}
	other := opened(t, openai.Options{Provider: "ollama", Model: "nobody", BaseURL: base + "/v1"})
	if _, err := other.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 4}); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("an unknown model: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := m.Ask(ctx, &models.Request{
		Messages: []models.Message{models.User("Go on and on.")}, Most: 4000, Schema: voteSchema, Show: func(models.Piece) { cancel() },
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestRealOllamaServerCallsToolsWhereThereIsNoSchema asks a model that does nothing else:
// the server finds the call in what it says. With a schema it does not get to say it.
func TestRealOllamaServerCallsToolsWhereThereIsNoSchema(t *testing.T) {
	base := ollama.Serve(t, ollama.Model{Name: "clerk", Seed: 3, Says: ollama.Call("look_up", `{"word":"jitter"}`)})
	r := &models.Request{
		Messages: []models.Message{models.User("What is jitter?")}, Most: 200, Schema: voteSchema,
		Tools: []models.Tool{{Name: "look_up", Description: "Looks a word up.", Schema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`)}},
	}
	for _, either := range []bool{true, false} {
		m := opened(t, openai.Options{Provider: "ollama", Model: "clerk", BaseURL: base + "/v1", SchemaOrTools: either})
		a, err := m.Ask(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if called := len(a.Calls) == 1 && a.Calls[0].Name == "look_up" && string(a.Calls[0].Args) == `{"word":"jitter"}` && a.Finish == models.FinishCalls; called != either || a.Usage.Input == 0 {
			t.Errorf("SchemaOrTools %v: %+v", either, a)
		}
		if !either {
			continue
		}
		again := *r
		again.Messages = append(again.Messages, models.Message{Role: models.RoleAssistant, Text: a.Text, Calls: a.Calls}, models.Message{Role: models.RoleUser, Results: []models.Result{{Call: a.Calls[0].ID, Text: "chance in time"}}})
		b, err := m.Ask(t.Context(), &again)
		if err != nil || b.Usage.Input <= a.Usage.Input {
			t.Errorf("with what came of the call: %+v, %v", b, err)
		}
		again.Tools = nil
		b, err = m.Ask(t.Context(), &again)
		if err != nil || !json.Valid([]byte(b.Text)) || len(b.Calls) != 0 {
			t.Errorf("without tools, in the schema: %+v, %v", b, err)
		}
	}
}

func TestRealOllamaServerMakesVectors(t *testing.T) {
	base := ollama.Serve(t, ollama.Model{Name: "judge-1", Seed: 1})
	m := opened(t, openai.Options{Provider: "ollama", Model: "judge-1", BaseURL: base + "/v1"})
	got, err := m.Embed(t.Context(), "with full jitter", "another language", "with jitter", "with full jitter")
	if err != nil {
		t.Fatal(err)
	}
	if v := got.All; got.Usage.Input == 0 || len(v) != 4 || len(v[0]) < 8 || !slices.Equal(v[0], v[3]) || slices.Equal(v[0], v[1]) {
		t.Errorf("got %+v", got)
	}
}
