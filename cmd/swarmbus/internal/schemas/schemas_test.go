package schemas_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/schemas"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

func broken(t *testing.T, before, after []byte) []string {
	t.Helper()
	all, err := differences(before, after)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// console is where the server's descriptions are.
const console = "../../../../swarm/console/"

func TestDescriptionsOfTheServerAreThoseOfItsRoutes(t *testing.T) {
	t.Parallel()
	openAPI, err := api.Describe("devel")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, openAPI, "", "  "); err != nil {
		t.Fatal(err)
	}
	same(t, console+"api/openapi.json", append(text.Bytes(), '\n'))
	for name, file := range map[string]string{"frame": "api/frame.schema.json", "join": "join/openapi.json"} {
		text, err := schemas.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, console+file, text)
	}
}

// Of the descriptions that other packages check in, their tests say when they differ; this
// one, what that breaks.
func TestDescriptionsOfOtherPackagesStayCompatible(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"report": "../../../../testdata/formats/report.schema.json", "team": "../../../../swarm/teams/team.schema.json"} {
		was, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		is, err := schemas.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range broken(t, was, is) {
			t.Errorf("%s: this breaks those who rely on it: %s", file, what)
		}
	}
}

func TestEventsHaveTheAttributesThatAreDescribed(t *testing.T) {
	t.Parallel()
	text, err := cloudevents.Structured(whole())
	if err != nil {
		t.Fatal(err)
	}
	var event map[string]any
	if err := json.Unmarshal(text, &event); err != nil {
		t.Fatal(err)
	}
	delete(event, "data")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(attributes)), slices.Sorted(maps.Keys(event))); diff != "" {
		t.Error(diff)
	}
}

func TestGetServesWhatNamesLists(t *testing.T) {
	t.Parallel()
	names := schemas.Names()
	if len(names) != len(all())+6 || !slices.IsSorted(names) {
		t.Errorf("got %d names: %v", len(names), names)
	}
	for _, name := range names {
		text, err := schemas.Get(name)
		if err != nil || !json.Valid(text) || !bytes.HasSuffix(text, []byte("}\n")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := schemas.Get("nothing"); err == nil {
		t.Error("there is a schema of nothing")
	}
}

func TestBreakingChangeIsNamedByItsField(t *testing.T) {
	t.Parallel()
	const was = `{"title":"a","type":"object","required":["a"],"properties":{
		"a":{"type":"string","description":"x"},"b":{"type":"number"},"c":{"enum":["x","y"]},"d":{"type":"array","items":{"type":"object","properties":{"e":{}}}}}}`
	for is, want := range map[string][]string{
		was: nil,
		`{"title":"b","type":"object","required":["a"],"properties":{"f":{"type":"string"},
		"a":{"type":"string","description":"y"},"b":{"type":"number"},"c":{"enum":["x","y","z"]},"d":{"type":"array","items":{"type":"object","properties":{"e":{},"g":{}}}}}}`: nil,
		`{"type":"object","required":["b"],"properties":{
		"b":{"type":"integer","maximum":1},"c":{"enum":["x"]},"d":{"type":"array","items":{"type":"object","properties":{}}}}}`: {
			"a: is not required any more", "b: is required now", "properties.a: is gone", "properties.b.maximum: is 1, was not limited",
			`properties.b.type: is "integer", was "number"`, `properties.c.enum: "y" is gone`, "properties.d.items.properties.e: is gone",
		},
	} {
		if diff := cmp.Diff(want, broken(t, []byte(was), []byte(is))); diff != "" {
			t.Error(diff)
		}
	}
	const api = `{"paths":{"/a":{"get":{"parameters":[{"name":"p","required":false}]}}}}`
	if got := broken(t, []byte(api), []byte(`{"paths":{"/a":{"get":{"parameters":[{"name":"q"}]}}}}`)); len(got) != 1 || got[0] != "paths./a.get.parameters.p: is gone" {
		t.Errorf("got %v", got)
	}
}
