package teams

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/internal/yamlfile"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// mostAgents is the most agents of a team.
const mostAgents = 64

// Validate returns all that is wrong with the team, each an [*Error] with its field.
func (t *Team) Validate() error {
	f := faults(t.problems())
	return f.err()
}

// faults are what is wrong with a team.
type faults []*Error

func (f *faults) err() error {
	var all []error
	for _, e := range *f {
		all = append(all, fmt.Errorf("teams: %w", e))
	}
	return errors.Join(all...)
}

func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, &Error{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// check adds an error with the problem of a [signals.FieldError] without its field.
func (f *faults) check(field string, err error) {
	var known *signals.FieldError
	switch {
	case errors.As(err, &known) && known.Value != "":
		f.add(field, "%q: %s", known.Value, known.Problem)
	case errors.As(err, &known):
		f.add(field, "%s", known.Problem)
	case err != nil:
		f.add(field, "%v", err)
	}
}

// checkAll adds an error for each [signals.FieldError] that is joined in one, with its field.
func (f *faults) checkAll(field string, err error) {
	var known *signals.FieldError
	switch of := err.(type) { //nolint:errorlint // what is joined is walked
	case interface{ Unwrap() []error }:
		for _, one := range of.Unwrap() {
			f.checkAll(field, one)
		}
	default:
		if errors.As(err, &known) {
			place := strings.TrimPrefix(known.Field, "agent.")
			if strings.HasPrefix(place, "timers") {
				place = "strategy." + place
			}
			f.check(field+"."+place, known)
		}
	}
}

// known adds an error for a word that is none of those known.
func known[S ~string](f *faults, field string, word S, all []S) {
	if word != "" && !slices.Contains(all, word) {
		suggestion := cmp.Or(text.Suggest(word, all), fmt.Sprintf("; want one of %q", all))
		f.add(field, "%q is not known%s", word, suggestion)
	}
}

func (t *Team) problems() []*Error {
	f := new(faults)
	checkPlaces(f, "", reflect.ValueOf(t).Elem())
	if len(t.Models) == 0 && (len(t.Agents) == 0 || len(t.Joins()) < len(t.Agents)) {
		f.add("models", "a model is required")
	}
	for _, name := range t.names() {
		t.checkModel(f, "models."+name, t.Models[name])
	}
	for name, s := range t.Servers {
		checkServer(f, "servers."+name, name, s)
	}
	if len(t.Agents) == 0 || len(t.Agents) > mostAgents {
		f.add("agents", "%d agents, want 1 to %d", len(t.Agents), mostAgents)
	}
	ids := map[string]bool{}
	for i, a := range t.Agents {
		field := fmt.Sprintf("agents[%d]", i)
		t.checkAgent(f, field, a)
		if ids[a.ID] {
			f.add(field+".id", "%q is taken", a.ID)
		}
		if a.Bench && (a.ID == t.Advocate || a.ID == t.Coordinator || t.conducts(a.ID)) {
			f.add(field+".bench", "%q is the advocate, coordinator or conductor, which takes part from the beginning", a.ID)
		}
		ids[a.ID] = true
	}
	if len(t.Agents) > 0 && !slices.ContainsFunc(t.Agents, func(a Agent) bool { return !a.Bench }) {
		f.add("agents", "all are on the bench: who begins?")
	}
	t.checkMemory(f)
	t.checkTerms(f)
	return *f
}

func (t *Team) checkTerms(f *faults) {
	if t.Answer != nil {
		f.check("answer.schema", t.Answer.check())
	}
	known(f, "mode", t.Mode, Modes())
	known(f, "strategy", t.Strategy, Strategies())
	known(f, "conflicts", t.Conflicts, ConflictPolicies())
	if !(t.Threshold >= 0 && t.Threshold <= 1) {
		f.add("threshold", "%v is not above 0 and at most 1", t.Threshold)
	}
	if t.Quorum < 0 || t.Quorum > len(t.Agents) {
		f.add("quorum", "%d is not from 1 to %d, the number of agents", t.Quorum, len(t.Agents))
	}
	if a := slices.IndexFunc(t.Agents, func(a Agent) bool { return a.ID == t.Advocate }); t.Advocate != "" && (a < 0 || t.Agents[a].CanEmit != nil && !slices.Contains(t.Agents[a].CanEmit, signals.KindChallenge)) {
		var ids []string
		for _, a := range t.Agents {
			ids = append(ids, a.ID)
		}
		f.add("advocate", "%q is no agent that may challenge%s", t.Advocate, cmp.Or(text.Suggest(t.Advocate, ids), "; it is one of "+strings.Join(ids, ", ")))
	}
	t.checkMember(f, "coordinator", t.Coordinator)
	if r := t.Reports; r != nil {
		t.checkMember(f, "reports.conductor", r.Conductor)
		if r.Conductor != "" && t.mode() != Mode(mode.Deliberate.String()) {
			f.add("mode", "%q: a conductor has turns only where agents deliberate", t.Mode)
		}
	}
	if t.Calls < 0 {
		f.add("calls", "%d is not positive", t.Calls)
	}
	if _, found := t.Models[t.Writer]; t.Writer != "" && !found {
		f.add("writer", "there is no model %q%s", t.Writer, text.Suggest(t.Writer, t.names()))
	}
	if t.Speakers < 0 {
		f.add("speakers", "%d is not positive", t.Speakers)
	}
	if t.Rounds < 0 {
		f.add("rounds", "%d is not positive", t.Rounds)
	}
	if t.Deadline < 0 {
		f.add("deadline", "%v is not positive", t.Deadline)
	}
	t.checkBudgets(f)
}

func (t *Team) checkBudgets(f *faults) {
	inMoney := false
	check := func(field string, b Budget) {
		most, err := b.Most()
		f.check(field, err)
		inMoney = inMoney || most.Money > 0
	}
	check("budget", t.Budget)
	check("budgetPerDay", t.PerDay)
	for i, a := range t.Agents {
		field := fmt.Sprintf("agents[%d].budget", i)
		if check(field, a.Budget); a.Budget != "" && a.Join != "" {
			f.add(field, "an agent that joins pays for its model itself")
		}
	}
	for _, name := range t.names() {
		if _, known := t.Models[name].Cost(); inMoney && !known {
			f.add("models."+name+".price", "is required, since the budget is in money")
		}
	}
}

// checkMember adds a fault unless the name is empty or that of an agent. A conductor says nothing but
// how it rules.
func (t *Team) checkMember(f *faults, field, name string) {
	var ids []string
	for i, a := range t.Agents {
		ids = append(ids, a.ID)
		if a.ID == name && t.conducts(name) && (a.Join != "" || a.Tools != nil || a.CanEmit != nil || a.Listens != nil) {
			f.add(fmt.Sprintf("agents[%d]", i), "the conductor has a model, and neither tools, listens nor canEmit: it only answers escalations")
		}
	}
	if name != "" && !slices.Contains(ids, name) {
		f.add(field, "%q is no agent of the team%s", name, cmp.Or(text.Suggest(name, ids), "; it is one of "+strings.Join(ids, ", ")))
	}
}

// conducts reports whether an agent is the conductor of the workers.
func (t *Team) conducts(id string) bool { return t.Reports != nil && t.Reports.Conductor == id }

func (t *Team) checkModel(f *faults, field string, m Model) {
	if m.Provider == "" {
		f.add(field+".provider", "is required")
	}
	known(f, field+".provider", m.Provider, Providers())
	f.check(field+".name", signals.Limits{}.Name("name", m.Name))
	checkURL(f, field+".baseURL", m.BaseURL)
	if m.Provider == A2A && m.BaseURL == "" {
		f.add(field+".baseURL", "is required: the address of the agent")
	}
	checkVariable(f, field+".key", m.Key)
	for name, variable := range m.Headers {
		checkVariable(f, field+".headers."+name, variable)
	}
	known(f, field+".schema", m.Schema, []string{"json_schema", "json_object", "prompt", "tools", "off"})
	known(f, field+".api", m.API, []string{"chat", "responses"})
	known(f, field+".tokens", m.Tokens, []string{"max_tokens", "max_completion_tokens"})
	for name, set := range map[string]bool{"query": m.Query != nil, "api": m.API != "", "schema": m.Schema != "", "tokens": m.Tokens != "", "stream": m.Stream != nil} {
		if set && m.Provider.Protocol() != OpenAI {
			f.add(field+"."+name, "is only for servers of OpenAI's protocol")
		}
	}
	if m.Params != nil && m.Provider == A2A {
		f.add(field+".params", "is not for agents of A2A")
	}
	if m.Price != nil {
		f.check(field+".price", models.Price(*m.Price).Validate())
	}
	for name, value := range map[string]float64{"rate": m.Limits.Rate, "burst": float64(m.Limits.Burst), "tries": float64(m.Limits.Tries), "timeout": float64(m.Limits.Timeout)} {
		f.check(field+".limits."+name, signals.AtLeastZero(name, value))
	}
}

func (t *Team) checkAgent(f *faults, field string, a Agent) {
	f.check(field+".id", signals.Limits{}.Name("id", a.ID))
	if a.Join != "" {
		checkVariable(f, field+".join", a.Join)
		t.checkJoined(f, field, a)
	} else if a.Timeout != 0 {
		f.add(field+".timeout", "is only for an agent that joins: a model has limits")
	} else if name, found := t.modelOf(a); !found && name == "" {
		f.add(field+".model", "is required, since the team has %d models", len(t.Models))
	} else if t.Embeds(name) {
		f.add(field+".model", "%q makes the vectors of the memory", name)
	} else if !found {
		f.add(field+".model", "no model is called %q%s", name, text.Suggest(name, t.names()))
	}
	t.checkFallback(f, field+".fallback", a)
	f.check(field+".weight", signals.Unit("weight", a.Weight))
	f.check(field+".personality", a.Personality.traits().Validate())
	for name, p := range a.Tools {
		t.checkTool(f, field+".tools."+name, name, p)
	}
	_, err := a.Router()
	f.checkAll(field, err)
	for i, k := range a.Listens {
		known(f, fmt.Sprintf("%s.listens[%d]", field, i), k, Hears())
	}
	for i, k := range a.CanEmit {
		known(f, fmt.Sprintf("%s.canEmit[%d]", field, i), k, Says())
	}
}

func (t *Team) checkFallback(f *faults, field string, a Agent) {
	own, _ := t.modelOf(a)
	seen := []string{own}
	for i, name := range a.Fallback {
		field := fmt.Sprintf("%s[%d]", field, i)
		switch _, found := t.Models[name]; {
		case !found:
			f.add(field, "no model is called %q%s", name, text.Suggest(name, t.names()))
		case t.Embeds(name):
			f.add(field, "%q makes the vectors of the memory", name)
		case slices.Contains(seen, name):
			f.add(field, "%q is asked already", name)
		}
		seen = append(seen, name)
	}
}

// checkJoined refuses what the program of an agent that joins would not know of.
func (t *Team) checkJoined(f *faults, field string, a Agent) {
	for name, given := range map[string]bool{"model": a.Model != "", "fallback": len(a.Fallback) > 0, "tools": len(a.Tools) > 0} {
		if given {
			f.add(field+"."+name, "is not for an agent that joins, whose program chooses it")
		}
	}
	f.check(field+".timeout", signals.AtLeastZero("timeout", float64(a.Timeout)))
}

var (
	serverName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,32}$`)
	toolName   = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,128}$`)
)

func checkServer(f *faults, field, name string, s Server) {
	switch {
	case !serverName.MatchString(name):
		f.add(field, "%q is not 1 to 32 letters, digits, _ and -", name)
	case (len(s.Command) == 0) == (s.URL == ""):
		f.add(field, "want either a command or a url")
	case s.URL == "" && (len(s.Headers) > 0 || s.Login != nil):
		f.add(field+".headers", "only a server with a url has headers and a login")
	case s.Login != nil && s.Login.Alone && (s.Login.Client == "" || s.Login.Secret == ""):
		f.add(field+".login.alone", "a client that logs in alone has a client and a secret")
	case s.Login != nil && s.Login.Client == "" && s.Login.Secret != "":
		f.add(field+".login.secret", "only a client has a secret")
	case s.URL != "" && (s.Dir != "" || len(s.Env) > 0):
		f.add(field, "only a server with a command has dir and env")
	}
	checkURL(f, field+".url", s.URL)
	for i, v := range s.Env {
		checkVariable(f, fmt.Sprintf("%s.env[%d]", field, i), v)
	}
	for name, v := range s.Headers {
		checkVariable(f, field+".headers."+name, v)
	}
	if s.Login != nil {
		checkVariable(f, field+".login.secret", s.Login.Secret)
	}
	f.check(field+".connect", signals.AtLeastZero("connect", float64(s.Connect)))
	f.check(field+".rate", signals.AtLeastZero("rate", s.Rate))
}

// checkTool checks the name of a tool, and its policy.
func (t *Team) checkTool(f *faults, field, name string, p Policy) {
	if !p.isRules() {
		known(f, field, p, Policies())
	} else if _, err := p.Rules("a/b"); err != nil {
		f.add(field, "%v", err)
	}
	server, tool, of := strings.Cut(name, "/")
	if !of {
		server, tool = "", name
	}
	if name == "recall" && t.Memory == nil {
		f.add(field, "the team has no memory to recall from: it needs the key memory")
	}
	if !toolName.MatchString(tool) && (!of || tool != "*") {
		f.add(field, "%q is neither the name of a function, nor server/tool, nor server/*", name)
	}
	if _, found := t.Servers[server]; of && !found {
		f.add(field, "no server is called %q%s", server, text.Suggest(server, slices.Sorted(maps.Keys(t.Servers))))
	}
}

// CheckTools returns an [*Error] for each tool of a server that an agent of the team names and
// that is not among those that the server has: a misspelt one would leave the policy that was
// meant for it to server/*.
func (t *Team) CheckTools(server string, has []tools.Tool) error {
	var names []string
	for _, tool := range has {
		names = append(names, server+"/"+tool.Name)
	}
	f := new(faults)
	for i, a := range t.Agents {
		for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
			if of, tool, _ := strings.Cut(name, "/"); of == server && tool != "*" && tool != "" && !slices.Contains(names, name) {
				f.add(fmt.Sprintf("agents[%d].tools", i), "server %s has no tool %q%s", server, name, text.Suggest(name, names))
			}
		}
	}
	return f.err()
}

func checkVariable(f *faults, field string, v Variable) {
	if v != "" && !variableName.MatchString(string(v)) {
		f.add(field, "is not the name of an environment variable in capitals; the key itself must not be here")
	}
}

func checkURL(f *faults, field string, p Place) {
	if p == "" || strings.HasPrefix(string(p), "${") {
		return
	}
	u, err := url.Parse(reference.ReplaceAllString(string(p), "x"))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		f.add(field, "%q is not a URL such as http://127.0.0.1:8000/v1", p)
	case u.User != nil:
		f.add(field, "must not contain a user name or a password")
	}
}

// checkPlaces refuses ${VAR} in all texts but places, where it has to have its form.
func checkPlaces(f *faults, field string, v reflect.Value) {
	inside := func(name string, v reflect.Value) { checkPlaces(f, strings.TrimPrefix(field+name, "."), v) }
	switch v.Kind() {
	case reflect.String:
		if p, ok := v.Interface().(Place); ok {
			if problem := p.problem(); problem != "" {
				f.add(field, "%s", problem)
			}
		} else if text := reference.FindString(v.String()); text != "" {
			f.add(field, "%s: variables are only replaced in base URLs, directories and the file of a memory", text)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			inside("", v.Elem())
		}
	case reflect.Struct:
		for i, key := range yamlfile.Keys(v.Type()) {
			inside("."+key, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			inside(fmt.Sprintf("[%d]", i), v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			inside("."+key.String(), v.MapIndex(key))
		}
	}
}

// Strategies returns the names of strategies.
func Strategies() (all []Strategy) {
	for _, s := range consensus.Builtin() {
		all = append(all, Strategy(s.Name()))
	}
	return all
}

// policies are the values of Conflicts.
var policies = map[Conflicts]settle.Policy{
	"debate": settle.ByDebate, "majority": settle.ByMajority, "escalate": settle.ByEscalation,
}

// ConflictPolicies returns the values of [Conflicts].
func ConflictPolicies() []Conflicts { return []Conflicts{"debate", "majority", "escalate"} }

// Says returns the kinds of signals that agents may emit.
func Says() []signals.Kind {
	return append(thinker.Says(), append(thinker.Coordinates(), signals.KindRetraction)...)
}

// Hears returns the kinds of signals that agents may listen to.
func Hears() []signals.Kind {
	codec, err := signals.NewCodec(append(coordination.Payloads(), signals.For[signals.Retraction]())...)
	if err != nil {
		panic(err) // the kinds differ
	}
	return codec.Kinds()
}
