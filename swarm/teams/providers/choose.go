package providers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
)

// ollama is the address of Ollama on this machine.
const ollama = "http://127.0.0.1:11434/v1"

// Reachable returns the providers of the catalogue whose keys are in the environment, of those
// that share a key the first.
func Reachable() (all []catalogue.Provider) {
	seen := map[string]bool{}
	for _, p := range catalogue.All() {
		if strings.TrimSpace(os.Getenv(p.Key)) != "" && !seen[p.Key] {
			all, seen[p.Key] = append(all, p), true
		}
	}
	return all
}

// errNone is the error of [Choose] where no model can be reached.
var errNone = errors.New(`no model can be reached: set the key of a provider, such as ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY (swarmbus models lists the others), or start Ollama with a model (ollama pull qwen3)`)

// Choose returns up to n models: of each provider that is [Reachable] the small one, since
// models of different vendors make different mistakes, and only if its price is known. If there is
// none, it returns the first model of the Ollama at $OLLAMA_HOST or on this machine.
func Choose(ctx context.Context, n int) (all []teams.Model, err error) {
	for _, p := range Reachable() {
		m := teams.Model{Provider: teams.Provider(p.ID), Name: p.Small}
		if _, known := m.Cost(); known && len(all) < n {
			all = append(all, m)
		}
	}
	if all != nil {
		return all, nil
	}
	base, at := ollama, teams.Place("")
	if host := strings.TrimSpace(os.Getenv("OLLAMA_HOST")); host != "" {
		base = "http://" + strings.TrimPrefix(host, "http://") + "/v1"
		at = teams.Place(base)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, errNone
	}
	defer func() { err = cmp.Or(err, resp.Body.Close()) }()
	var has struct{ Data []struct{ ID string } }
	if json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 1<<20)).Decode(&has) != nil || len(has.Data) == 0 {
		return nil, errNone
	}
	return []teams.Model{{Provider: teams.Ollama, Name: has.Data[0].ID, BaseURL: at}}, nil
}
