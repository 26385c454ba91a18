package teams

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/reporting"
	"github.com/swarmbus/swarmbus/swarm/teams/skills"
)

// Parts are what a team is built of. Models is required if an agent has one.
type Parts struct {
	// Models returns a model of the team by its name. Package providers makes them.
	Models func(name string) models.Model
	// Joined returns the reactor of the agents that join. Package join makes them. Nil: there is
	// none, which is an error if an agent joins.
	Joined func() agents.Reactor
	// Tools are the team's servers, by package swarm/console/open, and the functions of the program.
	Tools []tools.Source
	// Record keeps the calls of tools, and what a person has allowed. Nil: nothing does, so
	// that no question about a call can be answered.
	Record tools.Recorder
	// Memory is the team's memory, by package swarm/console/open, or one of the program. Nil: none, which
	// is an error if the team has one.
	Memory swarm.Memory
	// Show is called with the pieces of answers: see [thinker.Thinker.Show]. Nil: none.
	Show func(agent string, p models.Piece)
}

// Build returns the options of a swarm with the agents of the team, in its order. The budget and the
// limits belong to the models, and the caller opens the journal.
func (t *Team) Build(p Parts) (swarm.Options, error) {
	if err := t.Validate(); err != nil {
		return swarm.Options{}, err
	}
	if t.Memory != nil && p.Memory == nil {
		return swarm.Options{}, errors.New("teams: the team has a memory, and Parts.Memory is missing")
	}
	t = t.Whole()
	o := swarm.Options{
		Memory:    p.Memory,
		Threshold: t.Threshold, Quorum: t.Quorum, Conflicts: policies[t.Conflicts],
		Limits: swarm.Limits{Rounds: t.Rounds, Calls: t.Calls, Speakers: t.Speakers, Deadline: time.Duration(t.Deadline)}, Seed: t.Seed,
		Coordination: swarm.Coordination{Advocate: t.Advocate, Coordinator: t.Coordinator},
		Traits:       func(context.Context, signals.Task) mode.Traits { return t.traits() },
	}
	_ = o.Mode.UnmarshalText([]byte(t.Mode)) // validated
	if t.Writer != "" {
		m := p.Models(t.Writer)
		if m == nil {
			return swarm.Options{}, fmt.Errorf("teams: the writer has no model: %q is missing", t.Writer)
		}
		o.Coordination.Writer = WriterBy(m)
	}
	if t.Strategy != "" {
		o.Strategy, _ = consensus.Lookup(string(t.Strategy)) // validated
	}
	learned, err := t.learn()
	if err != nil {
		return swarm.Options{}, fmt.Errorf("teams: skills: %w", err)
	}
	if learned != nil {
		p.Tools = append(slices.Clip(p.Tools), skills.Tool(learned))
	}
	for _, a := range t.Agents {
		if err := a.offered(p.Tools); err != nil {
			return swarm.Options{}, err
		}
		if a.Join != "" {
			joined, err := a.joined(p)
			if err != nil {
				return swarm.Options{}, err
			}
			o.Agents = append(o.Agents, joined)
			continue
		}
		var all []models.Model
		for _, name := range append([]string{a.Model}, a.Fallback...) {
			m := p.Models(name)
			if m == nil {
				return swarm.Options{}, fmt.Errorf("teams: %s has no model: %q is missing", a.ID, name)
			}
			all = append(all, m)
		}
		m := models.Fallback(all[0], all[1:]...)
		if t.conducts(a.ID) {
			o.Agents = append(o.Agents, reporting.Lead(a.ID, reporting.Thinker{Model: m, Role: a.Role}))
			continue
		}
		o.Agents = append(o.Agents, t.build(a, m, p, learned))
	}
	if t.Reports != nil {
		o.Kinds = reports.Payloads()
	}
	return o, nil
}

// offered returns an error for a function that the program does not have.
func (a Agent) offered(all []tools.Source) error {
	var names []string
	for _, s := range all {
		if f, ok := s.(tools.Tool); ok {
			names = append(names, f.Full())
		}
	}
	for name := range a.Tools {
		if !strings.Contains(name, "/") && !slices.Contains(names, name) {
			return fmt.Errorf("teams: agent %q, tools: there is no function %q%s: the tool of a server is server/tool", a.ID, name, text.Suggest(name, names))
		}
	}
	return nil
}

// set returns what the agent may call; nil: nothing.
func (a Agent) set(p Parts, learns bool) *tools.Set {
	if len(a.Tools) == 0 && !learns {
		return nil
	}
	set := &tools.Set{From: p.Tools, Record: p.Record}
	for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
		rules, _ := a.Tools[name].Rules(name) // they were validated
		set.May = append(set.May, rules...)
	}
	if _, said := a.Tools[skills.ToolName]; learns && !said {
		set.May = append(set.May, tools.Rule{Tools: skills.ToolName})
	}
	return set
}

// joined returns an agent whose turns a program elsewhere takes.
func (a Agent) joined(p Parts) (*agents.Agent, error) {
	if p.Joined == nil {
		return nil, fmt.Errorf("teams: %s joins from elsewhere, and Parts.Joined is missing", a.ID)
	}
	return &agents.Agent{
		ID: a.ID, Role: a.Role, Personality: a.Personality.traits(), Listens: slices.Clone(a.Listens), CanEmit: slices.Clone(a.CanEmit), Weight: a.Weight,
		Group: a.Group, TurnTimeout: time.Duration(a.Timeout), Bench: a.Bench, Reactor: p.Joined(), Router: a.router(),
	}, nil
}

// router returns the router of an agent that was validated.
func (a Agent) router() *routing.Router {
	r, _ := a.Router()
	return r
}

func (t *Team) build(a Agent, m models.Model, p Parts, learned []skills.Skill) *agents.Agent {
	think := thinker.Thinker{
		Tools: a.set(p, learned != nil),
		ID:    a.ID, Role: a.Role, Model: m, Personality: a.Personality.traits(), CanEmit: slices.Clone(a.CanEmit),
		Show: p.Show, Seeded: t.Models[a.Model].Provider == Ollama,
	}
	for _, s := range learned {
		think.Skills = append(think.Skills, s.String())
	}
	listens := slices.Clone(a.Listens)
	if t.Reports != nil { // what is filed of others is for people and logs: nobody takes a turn for it
		think.Reports = new(reports.Options)
		listens = append(slices.Clip(a.hears()), reports.Decided{}.Kind())
	}
	built := think.Agent()
	built.Listens, built.Weight, built.Router, built.Bench = listens, a.Weight, a.router(), a.Bench
	built.Group = cmp.Or(a.Group, built.Group)
	return built
}

// hears returns the kinds that the agent listens to.
func (a Agent) hears() []signals.Kind {
	if a.Listens == nil {
		return Hears()
	}
	return a.Listens
}

// traits returns the personality with 0.5 for what is not set.
func (p *Personality) traits() agents.Personality {
	if p == nil {
		return agents.Personality{}
	}
	or := func(x *float64) float64 {
		if x == nil {
			return 0.5
		}
		return *x
	}
	return agents.Personality{Curiosity: or(p.Curiosity), Caution: or(p.Caution), Conformity: or(p.Conformity), Verbosity: or(p.Verbosity)}
}
