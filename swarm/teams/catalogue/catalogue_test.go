package catalogue_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
)

func TestEveryProviderCanBeReachedAndHasModels(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range catalogue.All() {
		at, err := url.Parse(p.BaseURL)
		if err != nil || at.Scheme != "https" || at.Host == "" || strings.HasSuffix(p.BaseURL, "/") {
			t.Errorf("%s is at %q: %v", p.ID, p.BaseURL, err)
		}
		if p.Protocol != "openai" && p.Protocol != "anthropic" || p.Name == "" || p.Key == "" || seen[p.ID] {
			t.Errorf("%+v", p)
		}
		seen[p.ID] = true
		small := false
		for _, m := range p.Models {
			small = small || m.Name == p.Small
			if err := m.Price.Validate(); err != nil || m.Name == "" || m.Window < 1000 {
				t.Errorf("%s: %+v: %v", p.ID, m, err)
			}
		}
		if len(p.Models) == 0 {
			t.Errorf("%s has no models", p.ID)
		}
		if !small {
			t.Logf("%s has no model %q, which is called small", p.ID, p.Small)
		}
	}
	for _, id := range []string{"anthropic", "openai", "gemini", "openrouter", "groq", "deepseek"} {
		if !seen[id] {
			t.Errorf("%s is missing", id)
		}
	}
}

func TestPricesAreThoseOfTheProvider(t *testing.T) {
	t.Parallel()
	got, found := catalogue.Price("anthropic", "claude-haiku-4-5-20251001")
	if want := (models.Price{Input: 1, CacheRead: 0.1, CacheWrite: 1.25, Output: 5}); got != want || !found {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, id := range [][2]string{{"anthropic", "nobody"}, {"nobody", "claude-haiku-4-5-20251001"}, {"zhipu-coding", "glm-5.2"}} {
		if got, found := catalogue.Price(id[0], id[1]); found {
			t.Errorf("%v costs %+v", id, got)
		}
	}
}
