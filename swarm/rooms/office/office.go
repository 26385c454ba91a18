package office

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/internal/yamlfile"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// An Office is the content of a file. The zero value of every field but Agents means the
// default of [rooms.Options].
type Office struct {
	Rooms  []string      `json:"rooms"` // without a member at first
	Turns  int           `json:"turns"`
	Queue  int           `json:"queue"`
	Hops   int           `json:"hops"`
	Budget int           `json:"budget"`
	Pause  time.Duration `json:"pause"`
	Tries  int           `json:"tries"`
	// Timeout is how long a turn of an agent may take, before it has failed; 0 means
	// five minutes. The chair's turns are as long as its solves.
	Timeout time.Duration          `json:"timeout"`
	Models  map[string]teams.Model `json:"models"`
	// Servers are those of the Model Context Protocol whose tools agents may call, by name.
	Servers map[string]teams.Server `json:"servers"`
	Stub    string                  `json:"stub"`  // the model that writes the stubs of tools; "": the first line of the result
	Chair   string                  `json:"chair"` // an agent in all rooms that has their members decide; "": none
	Agents  []agent                 `json:"agents"`
}

// defaultTimeout is how long a turn may take.
const defaultTimeout = 5 * time.Minute

// An agent is an entry of the roster.
type agent struct {
	Name   string   `json:"name"`
	Role   string   `json:"role"`
	Rooms  []string `json:"rooms"`
	Model  string   `json:"model"`  // of Office.Models; "": Script
	Script []line   `json:"script"` // its reactions without a model
	// Tools are what its model may call: the name of a function, server/tool or server/*, each
	// with its policy. "ask" is refused, since a room asks no person about calls.
	Tools map[string]teams.Policy `json:"tools"`
	// Listens, CanEmit, Strategy and Routes are as in a file of a team, for the kinds of events in
	// rooms, such as room.user; CanEmit without room.say makes it silent.
	Listens  []signals.Kind `json:"listens"`
	CanEmit  []signals.Kind `json:"canEmit"`
	Strategy *teams.Machine `json:"strategy"`
	Routes   []teams.Route  `json:"routes"`
	// Position is the proposal that it makes and votes for in decisions, without a model; "":
	// it takes no part.
	Position string `json:"position"`
}

// A line is the reaction of a scripted agent to a message.
type line struct {
	When     string        `json:"when"` // words that the message has; "": any message
	Call     *call         `json:"call"`
	Fail     string        `json:"fail"` // its first turn for the message fails with this error
	Say      string        `json:"say"`
	To       []string      `json:"to"`
	Subject  string        `json:"subject"`
	Priority string        `json:"priority"` // a word or a number; "": by the rules of intake
	Takes    time.Duration `json:"takes"`    // before it says something, or of its call
}

func (l *line) priority() (schedule.Priority, error) {
	if l.Priority == "" {
		return 0, nil
	}
	return schedule.ParsePriority(l.Priority)
}

// A call is a call of a tool with the result that the file gives.
type call struct {
	Tool   string         `json:"tool"`
	Args   map[string]any `json:"args"`
	Label  string         `json:"label"`
	Result string         `json:"result"`
	Error  string         `json:"error"`
}

// Parts are the options of an office that are not in its file.
type Parts struct {
	Store journal.Store                           // nil: in memory
	Keys  *events.Keys                            // required
	Model func(teams.Model) (models.Model, error) // makes a model; needed if the office has models
	Tools []tools.Source                          // functions, and the office's servers
	// Results has the results of calls of models and tools; nil: the store has them.
	Results journal.Caller
	Result  int // of [rooms.Options]
}

// Load reads a file.
func Load(path string) (*Office, error) {
	text, err := text.ReadFile(path, yamlfile.MostBytes)
	if err != nil {
		return nil, fmt.Errorf("office: %w", err)
	}
	return Parse(path, text)
}

// Parse reads a YAML text. Its errors say where something is wrong, and are all that are.
func Parse(path string, text []byte) (*Office, error) {
	o, f := new(Office), yamlfile.New(path)
	err := f.Decode(text, o)
	if err == nil {
		o.check(f)
		err = f.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("office: %w", err)
	}
	return o, nil
}

// check adds what is wrong with the office to its file.
func (o *Office) check(f *yamlfile.File) {
	if len(o.Agents) == 0 {
		f.Add("agents", "an agent is required")
	}
	if _, known := o.Models[o.Stub]; o.Stub != "" && !known {
		f.Add("stub", fmt.Sprintf("there is no model %q", o.Stub))
	}
	if slices.ContainsFunc(o.Agents, func(a agent) bool { return a.Name == o.Chair }) {
		f.Add("chair", fmt.Sprintf("%q is the name of an agent", o.Chair))
	}
	for i, a := range o.Agents {
		if problem := o.problem(a); problem != "" {
			f.Add(fmt.Sprintf("agents[%d]", i), fmt.Sprintf("%q: %s", a.Name, problem))
		}
	}
}

func (o *Office) problem(a agent) string {
	_, known := o.Models[a.Model]
	switch {
	case events.CheckAgent("name", a.Name) != nil:
		return events.CheckAgent("name", a.Name).Error()
	case len(a.Rooms) == 0:
		return "it is in no room"
	case a.Model != "" && len(a.Script) > 0:
		return "it has a model and a script"
	case a.Model == "" && len(a.Script) == 0:
		return "it has neither a model nor a script"
	case a.Model == "" && len(a.Tools) > 0:
		return "it has tools and no model"
	case a.Model != "" && !known:
		return fmt.Sprintf("there is no model %q", a.Model)
	}
	for name, policy := range a.Tools {
		server, _, of := strings.Cut(name, "/")
		if _, known := o.Servers[server]; of && !known {
			return fmt.Sprintf("tools: %s: there is no server %q", name, server)
		}
		if !slices.Contains([]teams.Policy{"default", "allow", "deny"}, policy) {
			return fmt.Sprintf("tools: %s: the policy %q is not one of default, allow and deny", name, policy)
		}
	}
	if router, err := a.routed().Router(); err != nil {
		return err.Error()
	} else if router != nil && router.Timed() {
		return "strategy: timers run in solves and not in rooms"
	}
	for field, kinds := range map[string][]signals.Kind{"listens": a.Listens, "canEmit": a.CanEmit} {
		known := append(events.Kinds(), rooms.Say{}.Kind())
		for _, k := range kinds {
			if !slices.Contains(known, k) {
				return fmt.Sprintf("%s: %q is no kind of rooms%s", field, k, text.Suggest(k, known))
			}
		}
	}
	for _, line := range a.Script {
		if _, err := line.priority(); err != nil {
			return err.Error()
		}
		for _, name := range line.To {
			if names := o.names(); !slices.Contains(names, name) {
				return fmt.Sprintf("script: to: there is no agent %q%s", name, text.Suggest(name, names))
			}
		}
	}
	return ""
}

// names returns the names that messages can address.
func (o *Office) names() (all []string) {
	for _, a := range o.Agents {
		all = append(all, a.Name)
	}
	if o.Chair != "" {
		all = append(all, o.Chair)
	}
	return append(all, events.FromUser)
}

// routed returns the agent as one of a team with the same routes.
func (a agent) routed() teams.Agent { return teams.Agent{Strategy: a.Strategy, Routes: a.Routes} }

// set returns the tools that the agent may call; nil: none.
func (a agent) set(from []tools.Source, by journal.Caller) *tools.Set {
	if len(a.Tools) == 0 {
		return nil
	}
	set := &tools.Set{From: from, Record: cassette.Tools(by)}
	for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
		set.May = append(set.May, tools.Rule{Tools: name, Policy: a.Tools[name].Policy()})
	}
	return set
}

// Calls returns a team with the office's servers, and with the tools that its agents may call.
func (o *Office) Calls() *teams.Team {
	t := &teams.Team{Servers: o.Servers}
	for _, a := range o.Agents {
		t.Agents = append(t.Agents, teams.Agent{ID: a.Name, Tools: a.Tools})
	}
	return t
}

// Build returns the options of a router. Answers of models are recorded in the store, so
// that a turn that is taken again asks none of them twice.
func (o *Office) Build(p Parts) (*rooms.Options, error) {
	if p.Store == nil {
		p.Store = new(journal.Memory)
	}
	recorder := p.Results
	if recorder == nil {
		own, err := journal.NewRecorder(p.Store)
		if err != nil {
			return nil, err
		}
		recorder = own
	}
	all := map[string]models.Model{}
	for name, about := range o.Models {
		if p.Model == nil {
			return nil, fmt.Errorf("office: models.%s: nothing makes models", name)
		}
		m, err := p.Model(about)
		if err != nil {
			return nil, fmt.Errorf("office: models.%s: %w", name, err)
		}
		all[name] = cassette.Answers(m, recorder)
	}
	options := &rooms.Options{Rooms: o.Rooms, Turns: o.Turns, Queue: o.Queue, Hops: o.Hops, Budget: o.Budget, Pause: o.Pause, Tries: o.Tries, Store: p.Store, Keys: p.Keys, Result: p.Result}
	if o.Stub != "" {
		options.Stub = stubber(all[o.Stub])
	}
	for _, a := range o.Agents {
		var reactor agents.Reactor = script(a.Script)
		if a.Model != "" {
			reactor = &Talker{Model: all[a.Model], Role: a.Role, Tools: a.set(p.Tools, recorder)}
		}
		router, err := a.routed().Router()
		if err != nil {
			return nil, fmt.Errorf("office: agent %q: %w", a.Name, err) // of an office that was not parsed
		}
		options.Agents = append(options.Agents, rooms.Standing{Agent: &agents.Agent{
			ID: a.Name, Role: a.Role, Reactor: reactor, TurnTimeout: cmp.Or(o.Timeout, defaultTimeout), Listens: a.Listens, CanEmit: a.CanEmit, Router: router,
		}, Rooms: a.Rooms})
	}
	if o.Chair != "" {
		options.Agents = append(options.Agents, o.chair(all))
	}
	return options, nil
}
