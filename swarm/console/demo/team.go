package demo

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

// names are the agents of the team, in commit order.
var names = []string{"planner", "sre", "critic", "verifier", "analyst", "archivist"}

var roles = map[string]string{
	"planner":   "You plan changes so that everyone can follow them.",
	"sre":       "You keep the service up, and want every step to be reversible.",
	"critic":    "You look for what can go wrong.",
	"verifier":  "You try things out, and believe what you have measured.",
	"analyst":   "You count what things cost.",
	"archivist": "You know what was tried before.",
}

// unheard are the options of a ledger that keeps decisions and outcomes, and learns nothing
// about the voters, so that a visitor can count the votes. What a ledger learns from repeated
// questions would settle their debates before an agent makes the right proposal.
var unheard = reliability.Options{First: 1 << 20, Window: 1 << 21}

// Team returns the team of the demo, whose turns take about a time; 0: none.
func Team(pace time.Duration) host.Team {
	return host.Team{
		Team: desk.Team{Name: "platform", About: "Six scripted agents who run a shop's platform.", Tasks: Tasks(), Open: func(ctx context.Context, _ desk.Keep) (*desk.Crew, error) {
			pool, end, err := known(ctx)
			return &desk.Crew{Memory: pool, End: end, Build: func(k desk.Keep, _ desk.Show) (swarm.Options, error) { return options(pace, k) }}, err
		}},
		Sync: journal.SyncInterval, Retain: journal.Retention{Bytes: 8 << 20},
	}
}

// options returns those of the team's swarm.
func options(pace time.Duration, k desk.Keep) (swarm.Options, error) {
	routes, err := router()
	if err != nil {
		return swarm.Options{}, err
	}
	ledger, err := reliability.NewLedger(&unheard)
	if err != nil {
		return swarm.Options{}, err
	}
	o := swarm.Options{Quorum: 4, Seed: 1, Strategy: consensus.ConfidenceWeighted{}, Ledger: ledger, Limits: swarm.Limits{Rounds: 16, Deadline: 10 * time.Minute}}
	may := &tools.Set{From: []tools.Source{rehearses}, May: []tools.Rule{{Tools: "rehearse", Policy: tools.Ask}}, Record: cassette.Tools(k.Calls)}
	for i, name := range names {
		model := cassette.Answers(scripted(name, i, pace), k.Answers)
		o.Agents = append(o.Agents, &agents.Agent{ID: name, Role: roles[name], Reactor: actor{name, model, may}})
		if name == "verifier" {
			o.Agents[i].Router = routes
		}
	}
	return o, nil
}

// scripted returns a model that takes its time and has a price.
func scripted(name string, i int, pace time.Duration) models.Model {
	return &models.Scripted{Name: "demo-" + []string{"small", "large"}[i%2], Answer: func(ctx context.Context, r *models.Request) (*models.Answer, error) {
		if pace > 0 {
			wait := pace/2 + rand.N(pace) //nolint:gosec // how long an agent seems to think
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(wait):
			}
		}
		answer := models.Text("ok")
		answer.Usage = models.Usage{Input: 180 + len(r.Messages[0].Text)/4, Output: 40 + len(name)*9}
		answer.Cost = models.Money(answer.Usage.Input*2500 + answer.Usage.Output*10000)
		return answer, nil
	}}
}
