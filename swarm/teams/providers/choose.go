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

// mostChosen is the budget of a team whose models are chosen.
const mostChosen = teams.Budget("0.20usd")

// Choose returns a team of so many agents with models that can be reached: of each provider that is
// [Reachable] the small one, since models of different vendors make different mistakes, as far as
// its price is known. It costs at most 0.20usd a solve. If there is none, the agents ask the first
// model of the Ollama at $OLLAMA_HOST or on this machine.
func Choose(ctx context.Context, agents int) (_ *teams.Team, err error) {
	var all []teams.Model
	for _, p := range Reachable() {
		m := teams.Model{Provider: teams.Provider(p.ID), Name: p.Small}
		if _, known := m.Cost(); known && len(all) < agents {
			all = append(all, m)
		}
	}
	if all != nil {
		t := teams.Of(agents, all...)
		t.Budget = mostChosen
		return t, nil
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
	return teams.Of(agents, teams.Model{Provider: teams.Ollama, Name: has.Data[0].ID, BaseURL: at}), nil
}
