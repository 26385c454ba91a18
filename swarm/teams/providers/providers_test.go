package providers_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// says is a model that always gives the same answer.
func says(int, *models.Request) modelstest.Reply {
	return modelstest.Reply{Text: "yes", Usage: models.Usage{Input: 10, Output: 2}}
}

func ask(t *testing.T, m models.Model) error {
	t.Helper()
	_, err := m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("well?")}, Most: 10})
	return err
}

func TestModelsOfEachProviderAnswerWithinTheBudget(t *testing.T) {
	t.Setenv("THE_KEY", modelstest.Key)
	for provider, dialect := range map[teams.Provider]modelstest.Dialect{teams.OpenAI: modelstest.OpenAI, teams.Anthropic: modelstest.Anthropic} {
		server := modelstest.NewServer(dialect, says)
		team := &teams.Team{
			Models: map[string]teams.Model{"main": {
				Provider: provider, Name: modelstest.Name, BaseURL: teams.Place(server.URL), Key: "THE_KEY", Price: &teams.Price{Input: 100, Output: 100},
			}},
			Agents: []teams.Agent{{ID: "a"}}, Budget: "1usd",
		}
		all, budget, err := providers.Models(team, providers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := ask(t, all["main"]); err != nil {
			t.Errorf("%s: %v", provider, err)
		}
		if want := (limits.Spend{Tokens: 12, Money: 12 * models.USD / 10_000}); budget.Account().Spent != want {
			t.Errorf("%s: booked %v, want %v", provider, budget.Account().Spent, want)
		}
		server.Close()
	}
}

func TestAModelIsAskedByTheProtocolThatItsTeamNames(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	for api, dialect := range map[string]modelstest.Dialect{"": modelstest.OpenAI, "chat": modelstest.OpenAI, "responses": modelstest.Responses} {
		server := modelstest.NewServer(dialect, says)
		m, err := providers.Model(teams.Model{Provider: teams.OpenAI, Name: modelstest.Name, BaseURL: teams.Place(server.URL), API: api})
		if err != nil {
			t.Fatal(err)
		}
		if err := ask(t, m); err != nil {
			t.Errorf("%q: %v", api, err)
		}
		server.Close()
	}
}

func TestAgentsHaveTheirSharesOfTheBudgetAndDaysTheirLimit(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := modelstest.NewServer(modelstest.OpenAI, says)
	defer server.Close()
	main := teams.Model{Provider: teams.OpenAI, Name: modelstest.Name, BaseURL: teams.Place(server.URL)}
	for want, team := range map[string]*teams.Team{
		"of the share of a 9 of 9 tokens are left":     {Agents: []teams.Agent{{ID: "a", Budget: "9tokens"}}},
		"of the limit of a day 8 of 8 tokens are left": {Agents: []teams.Agent{{ID: "a"}}, PerDay: "8tokens"},
		"and 7 of 7 tokens are left; a budget of":      {Agents: []teams.Agent{{ID: "a"}}, Budget: "7tokens"},
	} {
		team.Models = map[string]teams.Model{"main": main}
		all, _, err := providers.Models(team, providers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		agent := agents.Agent{ID: "a"}
		agent.Reactor = agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
			_, err := all["main"].Ask(ctx, &models.Request{Messages: []models.Message{models.User("well?")}, Most: 10})
			return agents.Fail(err)
		})
		if _, err := agent.Take(t.Context(), &agents.Turn{}); !errors.Is(err, agents.ErrBudget) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestMissingEnvironmentVariableIsAnError(t *testing.T) {
	t.Setenv("THE_KEY", "")
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("THE_SERVER", "http://me:hunter2@127.0.0.1")
	for want, m := range map[string]teams.Model{
		"openai:m: the key is missing: set OPENAI_API_KEY":          {Provider: teams.OpenAI, Name: "m"},
		"openai:m: the key is missing: set THE_KEY":                 {Provider: teams.OpenAI, Name: "m", Key: "THE_KEY", BaseURL: "http://127.0.0.1:1"},
		"anthropic:m: the key is missing: set THE_KEY":              {Provider: teams.Anthropic, Name: "m", Key: "THE_KEY", BaseURL: "http://127.0.0.1:1"},
		"ollama:m: the base URL must not contain a user name":       {Provider: teams.Ollama, Name: "m", BaseURL: "${THE_SERVER}"},
		"ollama:m: teams: ${NO_SERVER}: the environment variable":   {Provider: teams.Ollama, Name: "m", BaseURL: "${NO_SERVER}"},
		"teams: models.main.key: is not the name of an environment": {Provider: teams.Ollama, Name: "m", Key: "hunter2"},
	} {
		team := &teams.Team{Models: map[string]teams.Model{"main": m}, Agents: []teams.Agent{{ID: "a"}}}
		_, _, err := providers.Models(team, providers.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestModelsOfOneServerShareTheirLimits lets one of two models open the circuit breaker.
func TestModelsOfOneServerShareTheirLimits(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply {
		return modelstest.Reply{Text: "x", Fault: modelstest.CutOff}
	})
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	m := teams.Model{Provider: teams.OpenAI, Name: modelstest.Name, BaseURL: teams.Place(server.URL), Limits: teams.Limits{Tries: 1}}
	apart := m
	apart.Limits.Rate = 1000
	team := &teams.Team{Models: map[string]teams.Model{"a": m, "b": m, "apart": apart}, Agents: []teams.Agent{{ID: "x", Model: "a"}}}
	all, _, err := providers.Models(team, providers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		_ = ask(t, all["a"])
	}
	before := len(server.Requests())
	if err := ask(t, all["b"]); err == nil || len(server.Requests()) != before {
		t.Errorf("b asked, though the breaker of its server is open: %v", err)
	}
	if _ = ask(t, all["apart"]); len(server.Requests()) != before+1 {
		t.Error("apart has limits of its own, and did not ask")
	}
}

// TestSettingsOfAModelAreSent has the settings of a team file.
func TestSettingsOfAModelAreSent(t *testing.T) {
	var sent map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/openai/deployments/gpt4o/chat/completions?api-version=2024-10-21" || r.Header.Get("X-Title") != "swarm" || r.Header.Get("Api-Key") != "sk-1" {
			t.Errorf("%s, %v", r.URL, r.Header)
		}
		sent = nil
		_ = json.NewDecoder(r.Body).Decode(&sent)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`)
	}))
	defer s.Close()
	t.Setenv("TITLE", "swarm")
	t.Setenv("AZURE_KEY", "sk-1")
	team, err := teams.Parse("team.yaml", []byte(strings.ReplaceAll(`
models:
  m:
    provider: openai
    name: gpt4o
    baseURL: BASE/openai/deployments/gpt4o
    key: AZURE_KEY
    headers: {x-title: TITLE}
    query: {api-version: "2024-10-21"}
    params: {reasoning_effort: low, stop: [END], metadata: {run: 7}}
    schema: prompt
    tokens: max_completion_tokens
    stream: false
agents: [{id: a}]
`, "BASE", s.URL)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := providers.Model(team.Models["m"])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Ask(t.Context(), &models.Request{System: "You help.", Messages: []models.Message{models.User("?")}, Most: 9, Schema: &models.Schema{Name: "s", JSON: []byte(`{"type":"object"}`)}}); err != nil {
		t.Fatal(err)
	}
	messages, _ := json.Marshal(sent["messages"])
	if delete(sent, "messages"); !strings.Contains(string(messages), `{\"type\":\"object\"}`) {
		t.Errorf("messages %s", messages)
	}
	want := map[string]any{
		"model": "gpt4o", "max_completion_tokens": 9.0, "stream": false, "reasoning_effort": "low", "stop": []any{"END"}, "metadata": map[string]any{"run": 7.0},
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	for _, about := range []teams.Model{{Provider: teams.Anthropic, Name: "m", Tokens: "max_tokens"}, {Provider: teams.OpenAI, Name: "m", Schema: "strict"}, {Provider: teams.A2A, Name: "m", BaseURL: "http://x", Params: map[string]any{"top_p": 1}}} {
		team := teams.Team{Models: map[string]teams.Model{"m": about}, Agents: []teams.Agent{{ID: "a"}}}
		if err := team.Validate(); err == nil {
			t.Errorf("%+v is taken", about)
		}
	}
}
