package teams_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// withSkill writes a skill with a text of so many bytes beside the file of a team.
func withSkill(t *testing.T, bytes int) (file string) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "skills", "tables")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: tables\ndescription: Reads tables.\nallowed-tools: look skill\n---\n" + strings.Repeat("x", bytes-5) + " end."
	if err := os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "team.yaml")
}

const learns = `models: {main: {provider: ollama, name: m}}
skills: ./skills
agents:
  - {id: ada, model: main, tools: {look: deny}}
`

// TestAnAgentReadsASkillWhenItAsksAndMayCallNothingMore has a skill of more than a text of a tool
// may have in a prompt, which allows a tool that the agent may not call.
func TestAnAgentReadsASkillWhenItAsksAndMayCallNothingMore(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse(withSkill(t, 20_000), []byte(learns))
	if err != nil {
		t.Fatal(err)
	}
	looked := false
	spy := tools.Func("look", "Looks.", tools.Hints{}, func(context.Context, struct{}) (string, error) { looked = true; return "seen", nil })
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		last := r.Messages[len(r.Messages)-1]
		if len(last.Results) == 0 {
			if !strings.Contains(r.System, "- tables: Reads tables.") || strings.Contains(r.System, "xxx") {
				t.Errorf("the prompt: %s", r.System)
			}
			if len(r.Tools) != 1 || r.Tools[0].Name != "skill" {
				t.Errorf("it is offered %+v", r.Tools)
			}
			return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{
				{ID: "1", Name: "skill", Args: json.RawMessage(`{"name":"tables"}`)}, {ID: "2", Name: "look", Args: json.RawMessage(`{}`)},
			}}, nil
		}
		if got := last.Results[0]; got.IsError || !strings.Contains(got.Text, strings.Repeat("x", 19_000)) || !strings.Contains(got.Text, " end.") {
			t.Errorf("it reads %d bytes: %.80s", len(got.Text), got.Text)
		}
		if got := last.Results[1]; !got.IsError || looked {
			t.Errorf("what the skill allows is called: %+v", got)
		}
		return models.Text(`{"say":[{"type":"proposal","content":"c","reasoning":"r","confidence":0.5}]}`), nil
	}}
	o, err := team.Build(teams.Parts{Models: func(string) models.Model { return m }, Tools: []tools.Source{spy}})
	if err != nil {
		t.Fatal(err)
	}
	said, err := o.Agents[0].Take(t.Context(), &agents.Turn{Task: signals.Task{Task: "t"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range said {
		if r, ok := s.Body().(signals.ToolResult); ok && r.ToolName == "skill" {
			t.Errorf("others are told of the skill: %.80s", r.Result)
		}
	}
}

func TestAPolicyForSkillsIsThatOfTheTool(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse(withSkill(t, 10), []byte(strings.Replace(learns, "look: deny", "skill: deny", 1)))
	if err != nil {
		t.Fatal(err)
	}
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		if len(r.Tools) > 0 {
			t.Errorf("it is offered %+v", r.Tools)
		}
		return models.Text(`{"say":[{"type":"pass","reason":"r"}]}`), nil
	}}
	o, err := team.Build(teams.Parts{Models: func(string) models.Model { return m }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Agents[0].Take(t.Context(), &agents.Turn{Task: signals.Task{Task: "t"}}); err != nil {
		t.Fatal(err)
	}
}

func TestTheSkillsOfATeamAreBesideItsFileWhereverItIsReadAgain(t *testing.T) {
	t.Parallel()
	file := withSkill(t, 10)
	team, err := teams.Parse(file, []byte(learns))
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(team)
	if err != nil {
		t.Fatal(err)
	}
	from := new(teams.Team)
	if err := json.Unmarshal(again, from); err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(filepath.Dir(file), "skills"); string(from.Skills) != want {
		t.Errorf("got %s, want %s", from.Skills, want)
	}
	for to, want := range map[string]string{
		"./skils":           "team.yaml:2:1: skills: open ",
		"../no":             "team.yaml:2:1: skills: open ",
		"./skills/tables":   "has no skills: a skill is a folder in it with a file SKILL.md",
		`"${NO_SKILLS_AT}"`: "skills: teams: ${NO_SKILLS_AT}: the environment variable NO_SKILLS_AT is not set",
	} {
		if _, err := teams.Parse(file, []byte(strings.Replace(learns, "./skills", to, 1))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", to, err, want)
		}
	}
}
