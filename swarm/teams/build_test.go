package teams_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// everything is a team that says all that a team can say.
func everything(t *testing.T) *teams.Team {
	t.Helper()
	text, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := conforms(t, string(text)); err != nil {
		t.Errorf("the schema refuses it: %v", err)
	}
	team, err := teams.Parse("everything.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return team
}

// named is a model with an id that never answers.
type named struct {
	models.Model
	id models.ID
}

func (n named) ID() models.ID { return n.id }

func script(id models.ID) func(string) models.Model {
	return func(string) models.Model { return named{models.Script(), id} }
}

// knows is a memory that is never asked.
type knows struct{ swarm.Memory }

var look = tools.Func("look", "Looks.", tools.Hints{}, func(context.Context, struct{}) (string, error) { return "", nil })

func TestBuildUsesAllThatTheFileSays(t *testing.T) {
	t.Parallel()
	team := everything(t)
	asked := map[string]bool{}
	o, err := team.Build(teams.Parts{Models: func(name string) models.Model {
		asked[name] = true
		return script(team.Models[name].ID())(name)
	}, Tools: []tools.Source{look}, Memory: knows{}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Strategy.Name() != "bayesian" || o.Threshold != 0.8 || o.Quorum != 2 || o.Conflicts != settle.ByEscalation ||
		o.Limits.Rounds != 9 || o.Limits.Deadline != 90*time.Second || o.Seed != 7 {
		t.Errorf("got %+v", o)
	}
	if o.Memory != (knows{}) || team.Memory.Bytes != 4096 || team.Memory.Postgres() != "" {
		t.Errorf("got the memory %v of %+v", o.Memory, team.Memory)
	}
	if want := map[string]bool{"large": true, "small": true}; !cmp.Equal(asked, want) {
		t.Errorf("asked for models %v", asked)
	}
	set := o.Agents[0].Reactor.(*thinker.Thinker).Tools
	if want := []tools.Rule{{Tools: "files/*", Policy: tools.Ask}, {Tools: "files/read", Policy: tools.Allow}, {Tools: "look", Policy: tools.Deny}, {Tools: "web/*"}}; !cmp.Equal(set.May, want) {
		t.Errorf("it may call %v, want %v", set.May, want)
	}
	if o.Agents[1].Reactor.(*thinker.Thinker).Tools != nil {
		t.Error("an agent without tools has some")
	}
	first, second := o.Agents[0], o.Agents[1]
	if first.ID != "planner" || first.Role != "You plan." || first.Group != "people" || first.Weight != 0.5 ||
		first.Personality != (agents.Personality{Curiosity: 0.1, Caution: 0, Conformity: 0.3, Verbosity: 0.4}) ||
		!cmp.Equal(first.Listens, []signals.Kind{signals.KindTask, signals.KindVote}) || !cmp.Equal(first.CanEmit, []signals.Kind{signals.KindProposal, signals.KindVote}) {
		t.Errorf("got %+v", first)
	}
	if second.Group != "ollama:qwen3" || second.Personality != (agents.Personality{Curiosity: 0.5, Caution: 0.9, Conformity: 0.5, Verbosity: 0.5}) || second.Listens != nil {
		t.Errorf("got %+v", second)
	}
	if _, err := swarm.New(o); err != nil {
		t.Error(err)
	}
}

func TestDefaultsAreThoseThatShowPrints(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse("small", []byte(strings.Replace(small, "rounds: 4\n", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	o, err := team.Build(teams.Parts{Models: script(models.ID{Provider: "a", Name: "b"})})
	if err != nil {
		t.Fatal(err)
	}
	if o.Strategy != nil || o.Limits.Rounds != 6 || o.Limits.Deadline != 10*time.Minute || o.Seed != 1 || o.Mode != mode.Auto || o.Threshold != 0 || o.Agents[0].Personality != (agents.Personality{}) {
		t.Errorf("got %+v", o)
	}
	team.Mode = "deliberate"
	if o, err := team.Build(teams.Parts{Models: script(models.ID{Provider: "a", Name: "b"})}); err != nil || o.Threshold != 0.7 {
		t.Errorf("deliberating: %v, %v", o.Threshold, err)
	}
	whole := team.Whole()
	if diff := cmp.Diff(whole, whole.Whole()); diff != "" {
		t.Errorf("the defaults have defaults: %s", diff)
	}
	if team.Rounds != 0 || team.Agents[0].CanEmit != nil {
		t.Errorf("the team itself has changed: %+v", team)
	}
}

// TestATeamSurvivesItsFiles writes teams as YAML, which show prints, and as JSON, which runs
// and cassettes have.
func TestATeamSurvivesItsFiles(t *testing.T) {
	t.Parallel()
	all := []*teams.Team{everything(t), everything(t).Whole()}
	for _, name := range teams.Names() {
		team, err := teams.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, team, team.Whole(), team.Bare())
	}
	for _, team := range all {
		text, err := yaml.Marshal(team)
		if err != nil {
			t.Fatal(err)
		}
		read, err := teams.Parse("again", text)
		if diff := cmp.Diff(team, read); err != nil || diff != "" {
			t.Errorf("as YAML: %v %s\n%s", err, diff, text)
		}
		asJSON, err := json.Marshal(team)
		if err != nil {
			t.Fatal(err)
		}
		from := new(teams.Team)
		if err := json.Unmarshal(asJSON, from); err != nil || !cmp.Equal(team, from) {
			t.Errorf("as JSON: %v %s", err, cmp.Diff(team, from))
		}
	}
}

func TestACassetteHasNothingOfWhereTheModelsAre(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(everything(t).Bare())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"127.0.0.1", "THE_KEY", "price", "limits", "budget", "1m30s", "triage"} {
		if bytes.Contains(text, []byte(word)) {
			t.Errorf("it has %s: %s", word, text)
		}
	}
}

func TestBuildRefusesAnInvalidTeamAndAMissingModel(t *testing.T) {
	t.Parallel()
	if _, err := new(teams.Team).Build(teams.Parts{}); err == nil || !strings.Contains(err.Error(), "teams: models: a model is required") {
		t.Errorf("got %v", err)
	}
	_, err := everything(t).Build(teams.Parts{})
	if err == nil || !strings.Contains(err.Error(), "the team has a memory, and Parts.Memory is missing") {
		t.Errorf("got %v", err)
	}
	_, err = everything(t).Build(teams.Parts{Memory: knows{}, Models: func(string) models.Model { return nil }})
	if err == nil || !strings.Contains(err.Error(), `agent "planner", tools: there is no function "look": the tool of a server is server/tool`) {
		t.Errorf("got %v", err)
	}
	_, err = everything(t).Build(teams.Parts{Models: func(string) models.Model { return nil }, Tools: []tools.Source{look}, Memory: knows{}})
	if err == nil || !strings.Contains(err.Error(), `planner has no model: "large" is missing`) {
		t.Errorf("got %v", err)
	}
}

func TestAgentsThatJoinNeedNoModel(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse("t.yaml", []byte("agents: [{id: a, join: TOKEN_A}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := team.Build(teams.Parts{}); err == nil {
		t.Error("an agent joins nothing")
	}
	asked := agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return agents.Emit() })
	o, err := team.Build(teams.Parts{Joined: func() agents.Reactor { return asked }})
	if err != nil || o.Agents[0].TurnTimeout != 2*time.Minute || o.Agents[0].Reactor == nil || len(o.Agents[0].CanEmit) == 0 {
		t.Errorf("built %+v, %v", o.Agents, err)
	}
	for text, want := range map[string]string{
		"models: {m: {provider: ollama, name: n}}\nagents: [{id: a, join: TOKEN_A, model: m}]\n": "agents[0].model",
		"models: {m: {provider: ollama, name: n}}\nagents: [{id: a, timeout: 1s}]\n":             "agents[0].timeout",
		"agents: [{id: a, join: TOKEN_A}, {id: b}]\n":                                            "models",
	} {
		if _, err := teams.Parse("t.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPlacesExpandVariables(t *testing.T) {
	t.Setenv("SWARMBUS_TEST_HOST", "127.0.0.1:1")
	t.Setenv("SWARMBUS_TEST_EMPTY", "")
	for place, want := range map[teams.Place]string{
		"http://${SWARMBUS_TEST_HOST}/v1": "http://127.0.0.1:1/v1", "$SWARMBUS_TEST_HOST": "$SWARMBUS_TEST_HOST", "": "",
	} {
		if got, err := place.Expand(); err != nil || got != want {
			t.Errorf("%s: got %q, %v", place, got, err)
		}
	}
	for _, place := range []teams.Place{"${SWARMBUS_TEST_EMPTY}", "a/${SWARMBUS_TEST_NONE}"} {
		if _, err := place.Expand(); err == nil || !strings.Contains(err.Error(), "is not set") {
			t.Errorf("%s: got %v", place, err)
		}
	}
}

func TestAgentsCanSayEveryKindThatATeamFileMayList(t *testing.T) {
	team := &teams.Team{
		Models: map[string]teams.Model{"m": {Provider: teams.Ollama, Name: "qwen3"}},
		Agents: []teams.Agent{{ID: "a", Role: "r", Model: "m", CanEmit: teams.Says()}},
	}
	o, err := team.Build(teams.Parts{Models: script(models.ID{Provider: "ollama", Name: "qwen3"})})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Agents[0].Validate(); err != nil {
		t.Errorf("a swarm refuses it: %v", err)
	}
}
