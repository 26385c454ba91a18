package providers_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// none takes all keys from the environment, and Ollama.
func none(t *testing.T) {
	t.Helper()
	for _, p := range catalogue.All() {
		t.Setenv(p.Key, "")
	}
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
}

func TestModelsAreChosenByTheKeysThatAreSetOneOfEachVendor(t *testing.T) {
	none(t)
	if all, err := providers.Choose(t.Context(), 3); err == nil || !strings.Contains(err.Error(), "set the key") {
		t.Errorf("without a key: %v, %v", all, err)
	}
	for _, key := range []string{"GROQ_API_KEY", "MINIMAX_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"} {
		t.Setenv(key, modelstest.Key)
	}
	team, err := providers.Choose(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := team.Validate(); err != nil || team.Budget == "" {
		t.Errorf("budget %q, %v", team.Budget, err)
	}
	var vendors []teams.Provider
	for _, a := range team.Agents {
		m := team.Models[a.Model]
		vendors = append(vendors, m.Provider)
		if _, known := m.Cost(); !known {
			t.Errorf("the price of %s is not known", m.ID())
		}
		if _, err := providers.Model(m); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]teams.Provider{"openai", "gemini", "minimax"}, vendors); diff != "" {
		t.Error(diff)
	}
	if n := len(providers.Reachable()); n != 4 { // of two that share a key one
		t.Errorf("%d providers can be reached, want 4", n)
	}
}

func TestWithoutAKeyAnOllamaIsChosen(t *testing.T) {
	none(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"gemma3"}]}`)
	}))
	defer server.Close()
	t.Setenv("OLLAMA_HOST", strings.TrimPrefix(server.URL, "http://"))
	team, err := providers.Choose(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]teams.Model{"ollama:qwen3:8b": {Provider: teams.Ollama, Name: "qwen3:8b", BaseURL: teams.Place(server.URL + "/v1")}}, team.Models); diff != "" || team.Validate() != nil {
		t.Errorf("%v %s", team.Validate(), diff)
	}
}

func TestAProviderOfTheCatalogueNeedsItsKeyAlone(t *testing.T) {
	none(t)
	m := teams.Model{Provider: "groq", Name: "qwen/qwen3-32b"}
	if _, err := providers.Model(m); err == nil || !strings.Contains(err.Error(), "set GROQ_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
	t.Setenv("GROQ_API_KEY", modelstest.Key)
	t.Setenv("MINIMAX_API_KEY", modelstest.Key)
	for _, about := range []teams.Model{m, {Provider: "minimax", Name: "MiniMax-M3"}} { // of OpenAI's protocol, and of Anthropic's
		got, err := providers.Model(about)
		if err != nil {
			t.Fatal(err)
		}
		if got.ID() != about.ID() {
			t.Errorf("got %v, want %v", got.ID(), about.ID())
		}
	}
	server := modelstest.NewServer(modelstest.OpenAI, says)
	defer server.Close()
	m.BaseURL, m.Name = teams.Place(server.URL), modelstest.Name
	got, err := providers.Model(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := ask(t, got); err != nil {
		t.Error(err)
	}
	if _, known := (teams.Model{Provider: "groq", Name: "qwen/qwen3-32b", BaseURL: m.BaseURL}).Cost(); known {
		t.Error("a price is known of a server elsewhere")
	}
}
