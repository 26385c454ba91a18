package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
)

// TestEveryVendorIsSpokenToWithoutASetting has a conversation with each: a request with a
// system prompt, a schema, a tool, a temperature and a seed, the results of the calls, and the
// answer. What the server refuses the first time is not sent the second.
func TestEveryVendorIsSpokenToWithoutASetting(t *testing.T) {
	t.Parallel()
	vendors := modelstest.Vendors()
	if len(vendors) < 12 {
		t.Fatalf("%d vendors", len(vendors))
	}
	for _, v := range vendors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(v.Source, "https://") {
				t.Errorf("no source: %q", v.Source)
			}
			server := modelstest.NewServer(v.Dialect(), func(_ int, r *models.Request) modelstest.Reply {
				reply := modelstest.Reply{Text: `{"say":"sunny"}`, Usage: models.Usage{Input: 20, Output: 5}}
				if last := r.Messages[len(r.Messages)-1]; len(r.Tools) > 0 && !r.NoCalls && len(last.Results) == 0 {
					reply.Text, reply.Calls = "", []models.Call{{ID: "a1b2c3d4e", Name: "get_weather", Args: json.RawMessage(`{"city":"Bern"}`)}}
				}
				return reply
			})
			defer server.Close()
			name := modelstest.Name
			if v.Model != "" {
				name = v.Model
			}
			m := opened(t, openai.Options{Model: name, BaseURL: server.URL + v.Base, Key: modelstest.Key, SchemaOrTools: v.Name == "ollama"})
			for turn := range 2 {
				refused := len(server.Refused())
				notes := converse(t, m)
				if refused = len(server.Refused()) - refused; turn > 0 && refused+notes > 0 || notes != refused {
					t.Errorf("turn %d: %d notes, refused %d times: %v", turn+1, notes, refused, server.Refused())
				}
			}
			t.Logf("%d refused: %v", len(server.Refused()), server.Refused())
		})
	}
}

// converse asks until there is an answer, and returns how many notes the answers have.
func converse(t *testing.T, m models.Model) (notes int) {
	t.Helper()
	cool, seed := 0.2, 7
	r := &models.Request{
		System: "You help.", Messages: []models.Message{models.User("What is the weather in Bern?")}, Most: 500, Tools: weather[:1], Temperature: &cool, Seed: &seed,
		Schema: &models.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{"say":{"type":"string"}},"required":["say"],"additionalProperties":false}`)},
	}
	for calls := 0; ; calls++ {
		a, err := m.Ask(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		notes += len(a.Notes)
		if a.Usage.Tokens() != 25 {
			t.Errorf("usage %+v", a.Usage)
		}
		if len(a.Calls) == 0 {
			if a.Text != `{"say":"sunny"}` || a.Finish != models.FinishStop || calls != 1 {
				t.Errorf("after %d calls: %+v", calls, a)
			}
			return notes
		}
		if diff := cmp.Diff([]models.Call{{ID: "a1b2c3d4e", Name: "get_weather", Args: json.RawMessage(`{"city":"Bern"}`)}}, a.Calls); diff != "" {
			t.Error(diff)
		}
		r.Messages = append(r.Messages, a.Message(), models.Message{Role: models.RoleUser, Results: []models.Result{{Call: a.Calls[0].ID, Text: "sunny"}}})
	}
}
