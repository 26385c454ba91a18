package main

import (
	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
)

// personalities of the reviewers, by inspector. The least cautious one speaks
// for approval, the most cautious one for changes.
var personalities = map[string]agents.Personality{
	"compile":     {Curiosity: 0.2, Caution: 0.90, Conformity: 0.1, Verbosity: 0.3},
	"vet":         {Curiosity: 0.5, Caution: 0.75, Conformity: 0.2, Verbosity: 0.5},
	"complexity":  {Curiosity: 0.7, Caution: 0.50, Conformity: 0.5, Verbosity: 0.5},
	"docs":        {Curiosity: 0.6, Caution: 0.35, Conformity: 0.7, Verbosity: 0.8},
	"tests":       {Curiosity: 0.8, Caution: 0.70, Conformity: 0.3, Verbosity: 0.7},
	"risk":        {Curiosity: 0.6, Caution: 1.00, Conformity: 0.1, Verbosity: 0.7},
	"errors":      {Curiosity: 0.5, Caution: 0.60, Conformity: 0.4, Verbosity: 0.6},
	"concurrency": {Curiosity: 0.4, Caution: 0.80, Conformity: 0.2, Verbosity: 0.4},
	"api":         {Curiosity: 0.9, Caution: 0.30, Conformity: 0.4, Verbosity: 0.9},
	"upkeep":      {Curiosity: 0.3, Caution: 0.20, Conformity: 0.9, Verbosity: 0.2},
}

// team returns a reviewer for each inspector, for one review of p.
func team(p *inspect.Package) []*agents.Agent {
	desk := newDesk(p)
	var all []*agents.Agent
	for _, i := range inspect.Inspectors() {
		r := newReviewer(desk, i, personalities[i.Name])
		all = append(all, &agents.Agent{
			ID:          i.Name,
			Role:        i.Doc,
			Personality: r.personality,
			Listens: []signals.Kind{
				signals.KindTask, signals.KindDiscovery, signals.KindDoubt, signals.KindChallenge,
				signals.KindProposal, signals.KindVote,
			},
			CanEmit: r.canEmit(),
			Reactor: agents.Each(r.react),
		})
	}
	return all
}

// The two leads make the rival proposals.

func boldest() string { return lead(func(a, b float64) bool { return a < b }) }

func mostCautious() string { return lead(func(a, b float64) bool { return a > b }) }

func lead(better func(a, b float64) bool) string {
	var best string
	for _, i := range inspect.Inspectors() {
		if best == "" || better(personalities[i.Name].Caution, personalities[best].Caution) {
			best = i.Name
		}
	}
	return best
}
