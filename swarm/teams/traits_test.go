package teams_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// traitsOf returns what the tools of two agents suggest.
func traitsOf(t *testing.T, a, b map[string]teams.Policy) mode.Traits {
	t.Helper()
	team := &teams.Team{
		Models:  map[string]teams.Model{"m": {Provider: teams.Ollama, Name: "n"}},
		Servers: map[string]teams.Server{"s": {Command: []string{"s"}}, "files": {Command: []string{"f"}}, "pytest": {Command: []string{"p"}}},
		Agents:  []teams.Agent{{ID: "a", Tools: a}, {ID: "b", Tools: b}},
	}
	o, err := team.Build(teams.Parts{Models: script(models.ID{Provider: "ollama", Name: "n"})})
	if err != nil {
		t.Fatal(err)
	}
	return o.Traits(t.Context(), signals.Task{})
}

type may = map[string]teams.Policy

func TestFactsDifferIfEachMayCallWhatTheOtherMayNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b may
		want bool
	}{
		"different tools":          {may{"files/read": "allow"}, may{"s/look": "allow"}, true},
		"one has more":             {may{"files/read": "allow", "s/look": "ask"}, may{"files/read": "allow"}, false},
		"a pattern and one of it":  {may{"files/*": "allow"}, may{"files/read": "allow"}, false},
		"patterns of two servers":  {may{"files/*": "default"}, may{"s/*": "default"}, true},
		"two denials":              {may{"files/write": "deny"}, may{"files/list": "deny"}, false},
		"a denial in each pattern": {may{"files/*": "allow", "files/read": "deny", "s/x": "allow"}, may{"files/*": "allow", "files/list": "deny", "files/read": "allow"}, true},
	} {
		if got := traitsOf(t, c.a, c.b); got.FactsDiffer != c.want {
			t.Errorf("%s: %+v, want %v", name, got, c.want)
		}
	}
}

func TestToolsThatTestMakeAnswersCheckable(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]bool{
		"s/run_tests": true, "s/runTests": true, "s/pytest": true, "pytest/*": true, "s/check": true, "s/type_check": true, "s/verify-proof": true, "s/go_build": true,
		"s/check_weather": false, "s/latest": false, "s/*": false, "files/read": false, "s/build_report": false,
	} {
		if got := traitsOf(t, may{tool: "allow"}, may{tool: "allow"}); got.Checkable != want || want && !strings.Contains(got.Because, tool) {
			t.Errorf("%s: %+v, want %v", tool, got, want)
		}
	}
	if got := traitsOf(t, may{"files/test": "deny"}, nil); got.Checkable {
		t.Errorf("a tool that is denied: %+v", got)
	}
}

func TestTeamFileOverridesTraitsOfItsTools(t *testing.T) {
	t.Parallel()
	differ, check := "only a may call files/run_tests, and only b s/look", "a may call files/run_tests"
	for name, c := range map[string]struct {
		says string
		want mode.Traits
	}{
		"nothing is said":        {"", mode.Traits{FactsDiffer: true, Because: differ}},
		"facts do not differ":    {"factsDiffer: false", mode.Traits{Checkable: true, Because: check}},
		"nothing can be checked": {"checkable: false", mode.Traits{FactsDiffer: true, Because: differ}},
		"neither":                {"factsDiffer: false\ncheckable: false", mode.Traits{}},
		"a check":                {"checkable: true", mode.Traits{Checkable: true, Because: "it was stated"}},
	} {
		team, err := teams.Parse("team.yaml", []byte(c.says+`
models: {m: {provider: ollama, name: n}}
servers: {s: {command: [s]}, files: {command: [f]}}
agents: [{id: a, tools: {files/run_tests: allow}}, {id: b, tools: {s/look: allow}}]`))
		if err != nil {
			t.Fatal(err)
		}
		o, err := team.Build(teams.Parts{Models: script(models.ID{Provider: "ollama", Name: "n"})})
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Traits(t.Context(), signals.Task{}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestIdleFieldsAreThoseForDeliberation(t *testing.T) {
	t.Parallel()
	team := &teams.Team{Mode: "vote", Conflicts: "escalate", Threshold: 0.5, Quorum: 2, Agents: []teams.Agent{{ID: "a", Weight: 1}, {ID: "b", Weight: 0.1}}}
	if got, want := team.Idle(), []string{"agents[1].weight"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	team.Mode, team.Agents[0].CanEmit = "", []signals.Kind{signals.KindVote}
	if got := team.Idle(); got != nil {
		t.Errorf("a team that deliberates, since one may not answer: %q", got)
	}
}

// A team names who coordinates it, or nobody hears what is said to the coordinator; and its workers'
// conductor does nothing else, where agents deliberate.
func TestATeamNamesItsCoordinatorAndItsConductor(t *testing.T) {
	const agents = `
models: {m: {provider: ollama, name: n}}
agents:
  - {id: ann, canEmit: [proposal, vote, confidence]}
  - {id: ben, canEmit: [vote, handoff]}
`
	parsed := func(more string) (*teams.Team, error) { return teams.Parse("team.yaml", []byte(agents+more)) }
	team, err := parsed("")
	if err != nil || !slices.Equal(team.Unheard(), []string{"ann"}) {
		t.Errorf("without a coordinator: %v, unheard %v", err, team.Unheard())
	}
	if team, err = parsed("coordinator: ben\n"); err != nil || len(team.Unheard()) > 0 {
		t.Fatalf("with a coordinator: %v", err)
	}
	o, err := team.Build(teams.Parts{Models: script(models.ID{Provider: "ollama", Name: "n"})})
	if err != nil || o.Coordination.Coordinator != "ben" {
		t.Errorf("built with %q, %v", o.Coordination.Coordinator, err)
	}
	for more, want := range map[string]string{
		"coordinator: bem\n":                                       `"bem" is no agent of the team; did you mean "ben"?`,
		"reports: {conductor: lead}\n":                             `"lead" is no agent of the team`,
		"reports: {conductor: ben}\n":                              "only answers escalations",
		"  - {id: lead}\nreports: {conductor: lead}\nmode: vote\n": "only where agents deliberate",
	} {
		if _, err := parsed(more); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", more, err, want)
		}
	}
	if team, err = parsed("  - {id: lead}\nreports: {conductor: lead}\n"); err != nil || team.Whole().Mode != "deliberate" {
		t.Errorf("workers who report: %v, mode %s", err, team.Whole().Mode)
	}
}
