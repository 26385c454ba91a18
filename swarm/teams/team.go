package teams

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
)

// A Team is who solves a task, and how. Agents are required, and Models unless all agents
// join. The zero value of any other field means the default given.
type Team struct {
	Name        string `json:"name,omitempty" jsonschema:"What the team is called."`
	Description string `json:"description,omitempty" jsonschema:"What the team is for."`
	Context     string `json:"context,omitempty" jsonschema:"Background of every task."`

	Models map[string]Model `json:"models,omitempty" jsonschema:"The models, by the names that agents use. Required, unless all agents join."`
	Agents []Agent          `json:"agents" jsonschema:"The agents, in the order in which their signals are committed."`

	Servers map[string]Server `json:"servers,omitempty" jsonschema:"The servers of the Model Context Protocol whose tools agents may call, by name."`
	Skills  Place             `json:"skills,omitempty" jsonschema:"Directory of skills (agentskills.io), relative to this file: folders with a SKILL.md, which agents with models read by the tool skill when they need them. Default: none."`
	Memory  *Memory           `json:"memory,omitempty" jsonschema:"What the agents know from earlier solves. Default: nothing."`

	Mode        Mode  `json:"mode,omitempty" jsonschema:"How the agents work on a task. Default: auto."`
	FactsDiffer *bool `json:"factsDiffer,omitempty" jsonschema:"Whether the agents know different facts, all of which matter, which auto goes by. Default: what their tools suggest."`
	Checkable   *bool `json:"checkable,omitempty" jsonschema:"Whether who has a right answer can prove it to the others, which auto goes by. Default: what their tools suggest."`
	Calls       int   `json:"calls,omitempty" jsonschema:"Maximum number of turns in modes other than deliberate, each with what it reads. Default: three for each agent."`

	Strategy  Strategy  `json:"strategy,omitempty" jsonschema:"How votes become a decision. Default: confidence-weighted until it is known how reliable the agents are."`
	Threshold float64   `json:"threshold,omitempty" jsonschema:"Share of support that a decision needs, above 0 and at most 1. Default: 0.7."`
	Quorum    int       `json:"quorum,omitempty" jsonschema:"Number of voters that a decision needs. Default: more than half."`
	Conflicts Conflicts `json:"conflicts,omitempty" jsonschema:"How conflicts between proposals are settled. Default: debate."`
	Advocate  string    `json:"advocate,omitempty" jsonschema:"The agent that argues against what the votes have chosen before it is decided, where the agents deliberate. Default: nobody."`

	Coordinator string   `json:"coordinator,omitempty" jsonschema:"The agent that gets what is addressed to the coordinator, and may end what agents say to coordinate. Default: nobody does."`
	Reports     *Reports `json:"reports,omitempty" jsonschema:"Agents with models add a typed report to each turn, whose findings and escalations go through a gate. Default: they do not."`

	Answer *Answer `json:"answer,omitempty" jsonschema:"What answers are. Default: texts."`

	Writer string `json:"writer,omitempty" jsonschema:"The model of the team that writes the answer as a text, which cites what was said. Default: a template."`

	Budget   Budget   `json:"budget,omitempty" jsonschema:"Maximum cost of all calls that one journal records, such as 0.50usd or 20000tokens: of a solve of the command, and of all solves of the team in a server, which budgetPerDay suits better. Default: unlimited."`
	PerDay   Budget   `json:"budgetPerDay,omitempty" jsonschema:"Maximum cost of the calls that begin on one day, by UTC, of all that one journal records. Default: unlimited."`
	Deadline Duration `json:"deadline,omitempty" jsonschema:"Time limit of a solve, such as 90s or 10m. Default: 10m."`
	Speakers int      `json:"speakers,omitempty" jsonschema:"Maximum number of agents that speak in a round, of those with something new to hear, where the agents deliberate. Default: all."`
	Rounds   int      `json:"rounds,omitempty" jsonschema:"Maximum number of rounds. Default: 6."`
	Seed     uint64   `json:"seed,omitempty" jsonschema:"Seed of ids and random choices. Default: 1."`
	Journal  string   `json:"journal,omitempty" jsonschema:"File or name under which runs are recorded. Default: runs are not recorded."`
	Ledger   string   `json:"ledger,omitempty" jsonschema:"File or name of the ledger of what is known of the agents, with which each solve of the command begins and to which it adds. Default: beside the journal, if there is one and no strategy is stated."`
}

// Reports say what becomes of the reports of a team's workers.
type Reports struct {
	Conductor string `json:"conductor,omitempty" jsonschema:"The agent that answers escalations, and does nothing else; it asks a person about what it leaves open. Default: a person is asked."`
	Watch     bool   `json:"watch,omitempty" jsonschema:"Whether a watcher looks for failures, repetitions and trends in the reports. Default: false."`
}

// The defaults of a [Team].
const (
	DefaultMode     = Mode("auto")
	DefaultDeadline = Duration(600e9)
	DefaultRounds   = 6
	DefaultSeed     = 1
	defaultBytes    = 8 << 10         // of a [Memory]
	defaultTimeout  = Duration(120e9) // of a turn of an agent that joins
)

// An Agent is a member of a team that thinks with a model, or joins from elsewhere.
type Agent struct {
	ID          string            `json:"id" jsonschema:"The agent's name, which is the source of its signals."`
	Role        string            `json:"role,omitempty" jsonschema:"What the agent does, in the second person: You look for …"`
	Personality *Personality      `json:"personality,omitempty" jsonschema:"The agent's tendencies. Default: neutral."`
	Model       string            `json:"model,omitempty" jsonschema:"The name of a model of the team. Default: the only one."`
	Fallback    []string          `json:"fallback,omitempty" jsonschema:"The names of models of the team that answer, in order, while the agent's own is out: in an outage, at a rate limit beyond patience, or when it is gone. Default: none."`
	Budget      Budget            `json:"budget,omitempty" jsonschema:"The most of the team's budget that the agent's turns may take, such as 0.10usd or 5000tokens. Default: all of it."`
	Join        Variable          `json:"join,omitempty" jsonschema:"Name of the environment variable with the token of a program that takes the agent's turns over HTTP, in place of a model."`
	Bench       bool              `json:"bench,omitempty" jsonschema:"Whether the agent takes part in a solve only once an operator lets it join. Default: false."`
	Timeout     Duration          `json:"timeout,omitempty" jsonschema:"Time limit of a turn of an agent that joins, such as 30s. Default: 2m."`
	Group       string            `json:"group,omitempty" jsonschema:"Agents with correlated errors, whose votes are not independent. Default: the agents of one model."`
	Listens     []signals.Kind    `json:"listens,omitempty" jsonschema:"The kinds of signals that the agent hears. Default: all."`
	CanEmit     []signals.Kind    `json:"canEmit,omitempty" jsonschema:"The kinds of signals that the agent may emit. Default: all that agents say, but none to coordinate."`
	Tools       map[string]Policy `json:"tools,omitempty" jsonschema:"What the agent may call: the name of a function, server/tool or server/*, each with its policy. Default: nothing."`
	Weight      float64           `json:"weight,omitempty" jsonschema:"Factor on the weight of the agent's votes, above 0 and at most 1. Default: 1."`
	Strategy    *Machine          `json:"strategy,omitempty" jsonschema:"States of the agent, and what it does in them about signals, before its own routes. Default: none."`
	Routes      []Route           `json:"routes,omitempty" jsonschema:"What the agent does about signals, by their kind. Default: it gets them."`
}

// A Personality has the tendencies of an agent, each in [0,1]; nil: 0.5.
type Personality struct {
	Curiosity  *float64 `json:"curiosity,omitempty" jsonschema:"How far the agent looks, from 0 to 1. Default: 0.5."`
	Caution    *float64 `json:"caution,omitempty" jsonschema:"How hard the agent is to convince, from 0 to 1. Default: 0.5."`
	Conformity *float64 `json:"conformity,omitempty" jsonschema:"How much the views of others influence the agent, from 0 to 1. Default: 0.5."`
	Verbosity  *float64 `json:"verbosity,omitempty" jsonschema:"How much the agent says, from 0 to 1. Default: 0.5."`
}

// A Model is a model of a provider. Provider and Name are required.
type Model struct {
	Provider Provider `json:"provider" jsonschema:"Who serves the model. openai is any server that is compatible with OpenAI's, a2a an agent of the Agent2Agent protocol at baseURL, and swarmbus models lists the others."`
	Name     string   `json:"name" jsonschema:"The provider's name for the model."`
	BaseURL  Place    `json:"baseURL,omitempty" jsonschema:"Base URL of the server, with its path. ${VAR} stands for an environment variable. Default: the provider's."`
	Key      Variable `json:"key,omitempty" jsonschema:"Name of the environment variable that has the key. Default: that of the provider, such as OPENAI_API_KEY."`
	Price    *Price   `json:"price,omitempty" jsonschema:"Price of the model, which a budget in money needs. Default: what the catalogue has for the model, see swarmbus models; Ollama is free."`
	Limits   Limits   `json:"limits,omitzero" jsonschema:"Limits that models of one server with the same limits share."`

	Params  map[string]any      `json:"params,omitempty" jsonschema:"Members of every request, such as top_p, stop or reasoning_effort, in place of what would be sent."`
	Headers map[string]Variable `json:"headers,omitempty" jsonschema:"HTTP headers, each with the name of the environment variable that has its value."`
	Query   map[string]string   `json:"query,omitempty" jsonschema:"Query of every URL, such as api-version for Azure."`
	API     string              `json:"api,omitempty" jsonschema:"Protocol of a server of OpenAI's: chat (Chat Completions) or responses (Open Responses, of which the server keeps nothing). Default: chat."`
	Schema  string              `json:"schema,omitempty" jsonschema:"How the server is told the schema of an answer: json_schema, json_object, prompt, tools or off. Default: the first that it does not refuse."`
	Tokens  string              `json:"tokens,omitempty" jsonschema:"Member for the bound on an answer: max_tokens or max_completion_tokens. Default: the one that the server does not refuse."`
	Stream  *bool               `json:"stream,omitempty" jsonschema:"Whether answers are streamed. Default: true."`
}

// ID returns the id of the model.
func (m Model) ID() models.ID { return models.ID{Provider: string(m.Provider), Name: m.Name} }

// Cost returns the price of the model: the one that is set, or else what package catalogue knows of
// it at its provider's own address.
func (m Model) Cost() (models.Price, bool) {
	switch {
	case m.Price != nil:
		return models.Price(*m.Price), true
	case m.Provider == Ollama:
		return models.Free, true
	case m.BaseURL != "":
		return models.Price{}, false
	}
	return catalogue.Price(string(m.Provider), m.Name)
}

// A Price is the price of a million tokens, in US dollars.
type Price struct {
	Input      float64 `json:"input" jsonschema:"Price of a million tokens of input, in US dollars."`
	CacheRead  float64 `json:"cacheRead,omitempty" jsonschema:"Price of a million tokens of input from the cache. Default: that of input."`
	CacheWrite float64 `json:"cacheWrite,omitempty" jsonschema:"Price of a million tokens of input written to the cache. Default: that of input."`
	Output     float64 `json:"output" jsonschema:"Price of a million tokens of output."`
}

// Limits are those of the calls to a server. Zero values mean the defaults given.
type Limits struct {
	Rate    float64  `json:"rate,omitempty" jsonschema:"Tries per second. Default: no limit."`
	Burst   int      `json:"burst,omitempty" jsonschema:"Tries at once. Default: 1."`
	Tries   int      `json:"tries,omitempty" jsonschema:"Tries of a call. Default: 8."`
	Timeout Duration `json:"timeout,omitempty" jsonschema:"Time limit of a try, such as 30s. Default: 2m."`
}

// A Server is a server of the Model Context Protocol: a command or a URL.
type Server struct {
	Command []string            `json:"command,omitempty" jsonschema:"Program and arguments of a server that speaks over its standard input and output."`
	Dir     Place               `json:"dir,omitempty" jsonschema:"Working directory of the command. ${VAR} stands for an environment variable. Default: that of the program."`
	Env     []Variable          `json:"env,omitempty" jsonschema:"Names of the environment variables that the command gets beside the basic ones."`
	URL     Place               `json:"url,omitempty" jsonschema:"Base URL of a server that speaks streamable HTTP. ${VAR} stands for an environment variable."`
	Headers map[string]Variable `json:"headers,omitempty" jsonschema:"HTTP headers, each with the name of the environment variable that has its value."`
	Login   *Login              `json:"login,omitempty" jsonschema:"How to log in to a server that wants it. Default: as a client that registers itself, for a person with a browser."`
	Connect Duration            `json:"connect,omitempty" jsonschema:"Time limit for starting and for reading the list of tools. Default: 30s."`
	Rate    float64             `json:"rate,omitempty" jsonschema:"Calls per second. Default: no limit."`
}

// A Login is how an access token for a server is had, by OAuth.
type Login struct {
	Client string   `json:"client,omitempty" jsonschema:"Id of a registered client, or the https URL of a client ID metadata document. Default: the client registers itself."`
	Secret Variable `json:"secret,omitempty" jsonschema:"Name of the environment variable with the secret of the client."`
	Alone  bool     `json:"alone,omitempty" jsonschema:"The client logs in for itself (client credentials), and nobody is asked."`
}

// modelOf returns the model of an agent: the one that it names, or the team's only one; none
// for one that joins.
func (t *Team) modelOf(a Agent) (name string, found bool) {
	if a.Join != "" {
		return "", true
	}
	if a.Model != "" || len(t.Models) != 1 {
		_, found = t.Models[a.Model]
		return a.Model, found
	}
	for name = range t.Models {
		break
	}
	return name, true
}

// names returns the names of the models, sorted.
func (t *Team) names() []string {
	var all []string
	for name := range t.Models {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Joins returns the variables with the tokens of the agents that join, by agent.
func (t *Team) Joins() map[string]Variable {
	all := map[string]Variable{}
	for _, a := range t.Agents {
		if a.Join != "" {
			all[a.ID] = a.Join
		}
	}
	return all
}

// Whole returns a copy of the team that has the defaults of its fields, apart from those that
// a swarm chooses: strategy and quorum.
func (t *Team) Whole() *Team {
	whole := *t
	whole.Mode = t.mode()
	if whole.Mode == Mode(mode.Deliberate.String()) {
		whole.Threshold = cmp.Or(t.Threshold, consensus.DefaultThreshold)
	}
	whole.Conflicts = cmp.Or(t.Conflicts, ConflictPolicies()[0])
	whole.Rounds, whole.Seed = cmp.Or(t.Rounds, DefaultRounds), cmp.Or(t.Seed, DefaultSeed)
	whole.Deadline = cmp.Or(t.Deadline, DefaultDeadline)
	if t.Memory != nil {
		m := *t.Memory
		m.Bytes = cmp.Or(m.Bytes, defaultBytes)
		whole.Memory = &m
	}
	whole.Agents = slices.Clone(t.Agents)
	for i := range whole.Agents {
		a := &whole.Agents[i]
		a.Model, _ = t.modelOf(*a)
		a.Weight = cmp.Or(a.Weight, 1)
		if a.Join != "" {
			a.Timeout = cmp.Or(a.Timeout, defaultTimeout)
		}
		if a.CanEmit == nil {
			a.CanEmit = thinker.Says()
		}
		p := a.Personality.traits()
		if a.Personality != nil {
			a.Personality = &Personality{&p.Curiosity, &p.Caution, &p.Conformity, &p.Verbosity}
		}
	}
	return &whole
}

// mode returns the mode: a conductor has turns only where agents deliberate.
func (t *Team) mode() Mode {
	if t.Mode == "" && t.Reports != nil {
		return Mode(mode.Deliberate.String())
	}
	return cmp.Or(t.Mode, DefaultMode)
}

// Bare returns a copy of the team with all that its answers depend on, for a cassette: without
// servers' addresses, keys' names, prices, limits, budget, deadline and journal.
func (t *Team) Bare() *Team {
	bare := *t
	bare.Budget, bare.PerDay, bare.Deadline, bare.Journal, bare.Ledger = "", "", 0, "", ""
	bare.Agents = slices.Clone(t.Agents)
	for i := range bare.Agents {
		bare.Agents[i].Budget = ""
	}
	bare.Models = map[string]Model{}
	for name, m := range t.Models {
		bare.Models[name] = Model{Provider: m.Provider, Name: m.Name, Params: m.Params, Schema: m.Schema}
	}
	return &bare
}
