package main

import (
	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
)

// team returns a reviewer for each inspector, for one review of p.
func team(p *inspect.Package, tracks map[string]inspect.Track) []*agents.Agent {
	desk := newDesk(p, tracks)
	var all []*agents.Agent
	for _, i := range p.Inspectors() {
		all = append(all, &agents.Agent{
			ID:   i.Name,
			Role: i.Doc,
			// Votes too: whoever proposed hears nothing else that is new, and votes then.
			Listens: []signals.Kind{
				signals.KindTask, signals.KindDiscovery, signals.KindChallenge, signals.KindProposal, signals.KindVote,
			},
			CanEmit: []signals.Kind{signals.KindDiscovery, signals.KindChallenge, signals.KindProposal, signals.KindVote},
			Reactor: reviewer{desk, i},
		})
	}
	return all
}
