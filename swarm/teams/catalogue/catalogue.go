// Package catalogue has providers of models: where they serve them, the variable with the key, and
// what the models cost.
//
//	p, found := catalogue.Find("groq") // at https://api.groq.com/openai/v1, with $GROQ_API_KEY
//
// The data are those of Catwalk, at the version that is in their first line. Prices change: they
// are what was known then.
package catalogue

import (
	_ "embed" // the data
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/swarmbus/swarmbus/agents/models"
)

//go:embed catalogue.tsv
var data string

// A Provider serves models.
type Provider struct {
	ID, Name string
	Protocol string // "openai" or "anthropic"
	BaseURL  string
	Key      string  // the environment variable that has the key
	Small    string  // name of the model that costs little
	Models   []Model // newest first, mostly
}

// A Model is a model of a provider.
type Model struct {
	Name   string
	Price  models.Price // zero: unknown, as of a subscription, or free
	Window int          // tokens of its context
}

// All returns the providers, which are not to be modified: the best known first.
var All = sync.OnceValue(read)

func read() (all []Provider) {
	for line := range strings.Lines(data) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case line[0] == '#':
		case cells[0] != "":
			all = append(all, Provider{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], nil})
		default:
			var n [5]float64
			for i, cell := range cells[2:] {
				n[i], _ = strconv.ParseFloat(cell, 64) // a test reads all of them
			}
			p := &all[len(all)-1]
			p.Models = append(p.Models, Model{cells[1], models.Price{Input: n[0], Output: n[1], CacheRead: n[2], CacheWrite: n[3]}, int(n[4])})
		}
	}
	return all
}

// Find returns the provider with an id.
func Find(id string) (Provider, bool) {
	i := slices.IndexFunc(All(), func(p Provider) bool { return p.ID == id })
	if i < 0 {
		return Provider{}, false
	}
	return All()[i], true
}

// Price returns the price of a model of a provider, if it is known.
func Price(provider, model string) (models.Price, bool) {
	p, _ := Find(provider)
	i := slices.IndexFunc(p.Models, func(m Model) bool { return m.Name == model })
	if i < 0 || p.Models[i].Price == (models.Price{}) {
		return models.Price{}, false
	}
	return p.Models[i].Price, true
}
