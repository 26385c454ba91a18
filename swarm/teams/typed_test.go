package teams_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/teams"
)

func TestATeamHasTheSchemaOfItsAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(` {"type": "integer"} `), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "team.yaml")
	const team = "models: {m: {provider: ollama, name: m}}\nagents: [{id: a}, {id: b}]\nanswer: {schema: "
	for of, want := range map[string]string{
		`a.json`: `{"type":"integer"}`, filepath.Join(dir, "a.json"): `{"type":"integer"}`,
		`{type: string, enum: [A, B]}`: `{"enum":["A","B"],"type":"string"}`,
	} {
		if got, err := teams.Parse(file, []byte(team+of+"}\n")); err != nil || got.AnswerSchema() != want {
			t.Errorf("%s: got %s: %v", of, got.AnswerSchema(), err)
		}
	}
	for of, want := range map[string]string{`b.json`: "b.json", `team.yaml`: "team.yaml", `[1]`: "not the JSON schema", `{$ref: "#"}`: "refers to itself", `7`: "not the JSON schema"} {
		_, err := teams.Parse(file, []byte(team+of+"}\n"))
		var wrong *teams.Error
		if !errors.As(err, &wrong) || wrong.Field != "answer.schema" || !strings.Contains(err.Error(), "team.yaml:3") || !strings.Contains(wrong.Problem, want) {
			t.Errorf("%s: got %v", of, err)
		}
	}
	if got := new(teams.Team).AnswerSchema(); got != "" {
		t.Errorf("without one: %q", got)
	}
}
