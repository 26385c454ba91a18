// Package providers makes the models that a team names, with the adapters for all providers.
package providers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/a2a"
	"github.com/swarmbus/swarmbus/agents/models/anthropic"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
)

// Options of [Models]. The zero value of a field has the meaning given.
type Options struct {
	Retrying func(err error, pause time.Duration) // see [limits.Options]; nil: none
	Noted    func(id models.ID, notes []string)   // see [limits.Options]; nil: none
	Only     []string                             // models to make; the others need no key. Nil: all
}

// Models returns the models of a team, by their names there, within the team's budget and
// limits. The budget is that of the team, or one without a limit that keeps the account. Keys
// are read from the environment; a model without one that it needs is an error. The model of
// the memory's vectors is made by [models.ModelOf], for [models.EmbedderOf].
func Models(t *teams.Team, o Options) (map[string]models.Model, *limits.Budget, error) {
	if err := t.Validate(); err != nil {
		return nil, nil, err
	}
	budget, err := budgetOf(t)
	if err != nil {
		return nil, nil, err
	}
	all, shared := map[string]models.Model{}, map[server]*limits.Shared{}
	for _, name := range slices.Sorted(maps.Keys(t.Models)) {
		if o.Only != nil && !slices.Contains(o.Only, name) {
			continue
		}
		about := t.Models[name]
		open := Model
		if t.Embeds(name) {
			open = embedding
		}
		m, err := open(about)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", about.ID(), err)
		}
		s := server{about.Provider, about.BaseURL, about.Limits}
		if shared[s] == nil {
			shared[s] = limits.New(limits.Options{
				Budget: budget, Prices: prices(t), Retrying: o.Retrying, Noted: o.Noted,
				Rate: s.limits.Rate, Burst: s.limits.Burst, Tries: s.limits.Tries, Timeout: time.Duration(s.limits.Timeout),
			})
		}
		all[name] = shared[s].Limit(m)
	}
	return all, budget, nil
}

// budgetOf returns the budget of a team, with the shares of its agents.
func budgetOf(t *teams.Team) (*limits.Budget, error) {
	most, err := t.Budget.Most()
	budget := limits.NewBudget(most)
	for _, a := range t.Agents {
		if share, e := a.Budget.Most(); a.Budget != "" {
			err = cmp.Or(err, e)
			budget.Share(a.ID, share)
		}
	}
	if perDay, e := t.PerDay.Most(); t.PerDay != "" {
		err = cmp.Or(err, e)
		budget.PerDay(perDay)
	}
	return budget, err
}

// A server is what the models that share limits have in common.
type server struct {
	provider teams.Provider
	baseURL  teams.Place
	limits   teams.Limits
}

func prices(t *teams.Team) map[models.ID]models.Price {
	all := map[models.ID]models.Price{}
	for _, m := range t.Models {
		if price, known := m.Cost(); known {
			all[m.ID()] = price
		}
	}
	return all
}

// Model returns a model, without limits. Its key is read from the environment.
func Model(about teams.Model) (models.Model, error) {
	base, err := about.BaseURL.Expand()
	if err != nil {
		return nil, err
	}
	if strings.Contains(base, "@") {
		return nil, errors.New("the base URL must not contain a user name or a key")
	}
	key, client := "", &http.Client{Transport: http.DefaultTransport}
	if variable := KeyOf(about); variable != "" {
		key = strings.TrimSpace(os.Getenv(string(variable)))
		if key == "" && (base == "" || about.Key != "" || about.Provider.Protocol() == teams.Anthropic) {
			return nil, fmt.Errorf("the key is missing: set %s", variable)
		}
	}
	header := http.Header{}
	for name, variable := range about.Headers {
		value := strings.TrimSpace(os.Getenv(string(variable)))
		if value == "" {
			return nil, fmt.Errorf("the header %s is missing: set %s", name, variable)
		}
		header.Set(name, value)
	}
	known, _ := catalogue.Find(string(about.Provider))
	base = cmp.Or(base, known.BaseURL)
	switch {
	case about.Provider == teams.A2A:
		return a2a.New(a2a.Options{Name: about.Name, Key: key, URL: base, Header: header, Client: client})
	case known.Protocol == string(teams.Anthropic):
		return anthropic.New(anthropic.Options{Provider: known.ID, Model: about.Name, Key: key, BaseURL: base, Header: header, Params: about.Params, Client: client})
	case about.Provider == teams.Ollama:
		base = cmp.Or(base, ollama)
	}
	query := url.Values{}
	for name, value := range about.Query {
		query.Set(name, value)
	}
	return openai.New(openai.Options{
		Provider: string(about.Provider), Model: about.Name, Key: key, BaseURL: base, Header: header, Query: query, Client: client,
		Params: about.Params, Schema: openai.Schema(about.Schema), Tokens: about.Tokens, Whole: about.Stream != nil && !*about.Stream, Responses: about.API == "responses",
		SchemaOrTools: about.Provider == teams.Ollama, // with a schema it calls no tools
	})
}

// Embedder returns a model that makes vectors, without limits.
func Embedder(about teams.Model) (models.Embedder, error) {
	m, err := Model(about)
	if err != nil {
		return nil, err
	}
	e, ok := m.(models.Embedder)
	if !ok {
		return nil, fmt.Errorf("%s has no models that make vectors", about.Provider)
	}
	return e, nil
}

// embedding returns an embedder as a model.
func embedding(about teams.Model) (models.Model, error) {
	e, err := Embedder(about)
	if err != nil {
		return nil, err
	}
	return models.ModelOf(e), nil
}

// KeyOf returns the name of the variable with the key of a model; "": it needs none.
func KeyOf(about teams.Model) teams.Variable {
	known, _ := catalogue.Find(string(about.Provider))
	return cmp.Or(about.Key, teams.Variable(known.Key))
}
