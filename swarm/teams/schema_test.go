package teams_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

var update = flag.Bool("update", false, "rewrite team.schema.json")

func enum[S ~string](all []S) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, word := range all {
		s.Enum = append(s.Enum, string(word))
	}
	return s
}

// policies is the schema of a policy: a word, a rule by argument, or several.
func policies() *jsonschema.Schema {
	rule := &jsonschema.Schema{Type: "object", MinProperties: jsonschema.Ptr(1), Properties: map[string]*jsonschema.Schema{
		"policy": enum(teams.Policies()), "else": enum(teams.Policies()),
		"expires":  {Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`, Description: "How long a question waits for an answer. Default: for ever."},
		"onExpiry": {Type: "string", Enum: []any{"deny", "escalate", "stop"}, Description: "What follows then. Default: deny."},
		"check":    {Types: []string{"string", "array"}, Description: "A command that gets the call as JSON, and prints allow, ask or deny."},
	}, AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}, Description: "A glob or a comparison such as <= 100, for the member of the arguments with this name."}}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{enum(teams.Policies()), rule, {Type: "array", MinItems: jsonschema.Ptr(1), Items: rule}}}
}

// generated is the schema of the type. Editors complete the words of its enums.
func generated(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.For[teams.Team](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[teams.Provider]():   enum(teams.Providers()),
		reflect.TypeFor[teams.Strategy]():   enum(teams.Strategies()),
		reflect.TypeFor[teams.Conflicts]():  enum(teams.ConflictPolicies()),
		reflect.TypeFor[teams.Policy]():     policies(),
		reflect.TypeFor[signals.Kind]():     enum(teams.Hears()),
		reflect.TypeFor[routing.Action]():   {Type: "string", Pattern: `^(continue|reject|graceful-stop|force-stop|transition:.+)$`},
		reflect.TypeFor[teams.Conditions](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}},
		reflect.TypeFor[teams.Duration]():   {Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`},
		reflect.TypeFor[teams.Budget]():     {Type: "string", Pattern: `^([0-9]+tokens|[0-9.]+usd)$`},
		reflect.TypeFor[teams.Variable]():   {Type: "string", Pattern: `^[A-Z_][A-Z0-9_]*$`},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.ID, s.Title = teams.SchemaID, "A team of swarmbus"
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Properties["agents"].Items.Properties["canEmit"].Items = enum(teams.Says())
	return s
}

func TestSchemaIsGeneratedFromTheType(t *testing.T) {
	t.Parallel()
	text, err := json.MarshalIndent(generated(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile("team.schema.json", text, 0o644); err != nil { //nolint:gosec // it is checked in
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(teams.Schema(), string(text)); diff != "" {
		t.Errorf("go test ./swarm/teams -update rewrites it (-file +type):\n%s", diff)
	}
}

// conforms says what the schema finds wrong with a file.
func conforms(t *testing.T, text string) error {
	t.Helper()
	schema, err := generated(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return err
	}
	var value any
	if err := json.NewDecoder(bytes.NewReader(asJSON)).Decode(&value); err != nil {
		return err
	}
	return schema.Validate(value)
}

func TestReadyMadeTeamsConform(t *testing.T) {
	t.Parallel()
	if want := []string{"debug", "decision", "research", "review"}; !cmp.Equal(teams.Names(), want) {
		t.Errorf("got %q, want %q", teams.Names(), want)
	}
	for _, name := range teams.Names() {
		text, _ := teams.Ready(name)
		if err := conforms(t, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		team, err := teams.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if team.Name != name || team.Description == "" || len(team.Agents) < 3 {
			t.Errorf("%s: got %q, %q and %d agents", name, team.Name, team.Description, len(team.Agents))
		}
	}
}

// TestEditorsFindTheSchema follows the first line of each file with a team.
func TestEditorsFindTheSchema(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("ready/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../examples/teams/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("team.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		to, ok := strings.CutPrefix(line, "# yaml-language-server: $schema=")
		found, err := os.ReadFile(filepath.Join(filepath.Dir(file), to))
		if !ok || err != nil || !bytes.Equal(found, schema) {
			t.Errorf("%s: %q is not the schema: %v", file, line, err)
		}
	}
	if text, _ := teams.Ready("review"); !strings.HasPrefix(text, "# yaml-language-server: $schema="+teams.SchemaID+"\n") {
		t.Errorf("a copy begins with %.100s", text)
	}
}
