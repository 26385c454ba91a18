package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/anthropic"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

const (
	providerOpenAI    = "openai"
	providerAnthropic = "anthropic"
	providerOllama    = "ollama"
)

// idOf reads PROVIDER:NAME.
func idOf(spec string) (models.ID, error) {
	provider, name, ok := strings.Cut(spec, ":")
	switch {
	case !ok || name == "":
		return models.ID{}, usage(fmt.Errorf("--model %q is not PROVIDER:NAME", spec))
	case provider != providerOpenAI && provider != providerAnthropic && provider != providerOllama:
		return models.ID{}, usage(fmt.Errorf("--model %q: the provider is not openai, anthropic or ollama", spec))
	}
	return models.ID{Provider: provider, Name: name}, nil
}

func isOllama(spec string) bool { return strings.HasPrefix(spec, providerOllama+":") }

// open returns the models by their names: those of the cassette, or real ones within
// their limits, whose answers are recorded in the run and on a tape, where there are
// such.
func (f *solveFlags) open(cmd *cobra.Command, run *aJournal) (ask func(spec string) models.Model, err error) {
	if f.cassette != "" {
		return f.replay(cmd, run)
	}
	all, budget, err := f.models()
	if err != nil {
		return nil, err
	}
	if f.record != "" {
		var tape journal.Caller
		if tape, err = f.tape(run); err == nil {
			for spec, m := range all {
				all[spec] = cassette.Model(m, tape)
			}
		}
	}
	if f.journal != "" && err == nil {
		if err = f.keep(cmd, run); err != nil {
			return nil, err
		}
		if run.recorder, err = recordTerms(run.store, &f.terms); err != nil {
			return nil, err
		}
		run.record(budget)
		answersFrom(run.recorder, all)
	}
	return func(spec string) models.Model { return all[spec] }, err
}

// replay returns the models of the cassette. What is played has a journal if it had one.
func (f *solveFlags) replay(cmd *cobra.Command, run *aJournal) (ask func(spec string) models.Model, err error) {
	results, err := readTape(f.cassette, &f.terms)
	switch {
	case err != nil:
		return nil, err
	case f.journal != "" && !f.terms.Journal:
		return nil, usage(errors.New("--journal: the cassette was recorded without a journal, with which the log differs"))
	case f.journal != "":
		err = f.keep(cmd, run)
	case f.terms.Journal:
		run.store = &journal.Memory{}
	}
	return func(spec string) models.Model {
		id, _ := idOf(spec)
		return cassette.Replay(id, results)
	}, err
}

// models makes the models that are named, by their names, within what their provider's
// users share and within the budget, which has no limit if none was given.
func (f *solveFlags) models() (map[string]models.Model, *limits.Budget, error) {
	budget, err := budgetOf(f.terms.Budget)
	if err != nil {
		return nil, nil, err
	}
	if f.budget = budget; budget == nil {
		budget = limits.NewBudget(limits.Spend{})
	}
	prices, err := pricesOf(f.terms.Prices, f.terms.Models)
	if err != nil {
		return nil, nil, err
	}
	all, shared, providers := map[string]models.Model{}, map[string]*limits.Shared{}, map[string]bool{}
	for _, spec := range f.terms.Models {
		id, err := idOf(spec)
		if err != nil {
			return nil, nil, err
		}
		if id.Provider == providerOllama {
			prices[id] = models.Free
		}
		if _, known := prices[id]; !known && strings.HasSuffix(f.terms.Budget, "usd") {
			return nil, nil, usage(fmt.Errorf("--budget %s needs the price of %s: --price %s=IN/OUT", f.terms.Budget, spec, spec))
		}
		providers[id.Provider] = true
		m, err := f.model(id)
		if err != nil {
			return nil, nil, err
		}
		if shared[id.Provider] == nil {
			shared[id.Provider] = limits.New(limits.Options{
				Budget: budget, Prices: prices,
				Retrying: func(err error, pause time.Duration) { f.live.retrying(err, pause) },
			})
		}
		all[spec] = shared[id.Provider].Limit(m)
	}
	if len(providers) > 1 && f.terms.BaseURL != "" {
		return nil, nil, usage(errors.New("--base-url applies to one provider, but the models have several"))
	}
	return all, budget, nil
}

// record records what the budget books.
func (run *aJournal) record(budget *limits.Budget) {
	budget.Keep(func(c limits.Change) error { return cassette.Book(run.store, c) })
}

// answersFrom lets models answer from a run what they answered in it before.
func answersFrom(by journal.Caller, all map[string]models.Model) {
	for spec, m := range all {
		all[spec] = cassette.Answers(m, by)
	}
}

func (f *solveFlags) model(id models.ID) (models.Model, error) {
	client := &http.Client{Transport: http.DefaultTransport}
	switch id.Provider {
	case providerAnthropic:
		key, err := keyOf("ANTHROPIC_API_KEY")
		if err != nil {
			return nil, err
		}
		return anthropic.New(anthropic.Options{Model: id.Name, Key: key, BaseURL: f.terms.BaseURL, Client: client})
	case providerOllama:
		base := f.terms.BaseURL
		if base == "" {
			base = "http://127.0.0.1:11434/v1"
		}
		return openai.New(openai.Options{Provider: id.Provider, Model: id.Name, BaseURL: base, Client: client})
	default:
		key, err := keyOf("OPENAI_API_KEY")
		if err != nil && f.terms.BaseURL == "" {
			return nil, err
		}
		return openai.New(openai.Options{Provider: id.Provider, Model: id.Name, Key: key, BaseURL: f.terms.BaseURL, Client: client})
	}
}

func keyOf(variable string) (string, error) {
	if key := strings.TrimSpace(os.Getenv(variable)); key != "" {
		return key, nil
	}
	return "", fmt.Errorf("the key is missing: set %s", variable)
}

// budgetOf reads an amount of money or tokens.
func budgetOf(s string) (*limits.Budget, error) {
	if s == "" {
		return nil, nil
	}
	if number, ok := strings.CutSuffix(s, "tokens"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n <= 0 {
			return nil, usage(fmt.Errorf("--budget %q is not a positive number of tokens", s))
		}
		return limits.NewBudget(limits.Spend{Tokens: n}), nil
	}
	m, err := models.ParseMoney(s)
	if err != nil || m <= 0 {
		return nil, usage(fmt.Errorf("--budget %q is not an amount such as 0.50usd or 20000tokens", s))
	}
	return limits.NewBudget(limits.Spend{Money: m}), nil
}

// pricesOf reads PROVIDER:NAME=IN/OUT, for some of the models.
func pricesOf(all, of []string) (map[models.ID]models.Price, error) {
	prices := map[models.ID]models.Price{}
	for _, s := range all {
		at := strings.LastIndexByte(s, '=')
		id, err := idOf(s[:max(0, at)])
		in, out, two := strings.Cut(s[at+1:], "/")
		input, inErr := strconv.ParseFloat(in, 64)
		output, outErr := strconv.ParseFloat(out, 64)
		p := models.Price{Input: input, Output: output}
		if errors.Join(err, inErr, outErr, p.Validate()) != nil || !two {
			return nil, usage(fmt.Errorf("--price %q is not PROVIDER:NAME=IN/OUT", s))
		}
		if _, twice := prices[id]; twice || !slices.Contains(of, id.String()) {
			return nil, usage(fmt.Errorf("--price %q is for a model that has a price or is not used", s))
		}
		prices[id] = p
	}
	return prices, nil
}
