package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/tools"
)

// bomb is a schema whose references double at each of n steps.
func bomb(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	return fmt.Sprintf(`{"type":"object","$ref":"#/$defs/d0","$defs":{%s,"d%d":{"required":["x"]}}}`, strings.Join(defs, ","), n)
}

func TestSchemasThatWouldTakeLongAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"references that double":   {bomb(18), "more than 20000 parts"},
		"a tree":                   {`{"type":"object","properties":{"root":{"$ref":"#/$defs/node"}},"$defs":{"node":{"properties":{"next":{"$ref":"#/$defs/node"}}}}}`, "recursive schemas are not supported: #/$defs/node refers to itself"},
		"references in a circle":   {`{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "refers to itself"},
		"nested without end":       {`{"type":"object","properties":` + strings.Repeat(`{"a":{"properties":`, 200) + `{}` + strings.Repeat(`}}`, 200) + `}`, "nested deeper than 64"},
		"many parts":               {`{"type":"object","enum":[` + strings.Repeat("1,", 25_000) + `1]}`, "more than 20000 parts"},
		"many bytes":               {`{"type":"object","description":"` + strings.Repeat("x", 1<<20) + `"}`, "at most 65536 are allowed"},
		"a reference to elsewhere": {`{"type":"object","$ref":"https://evil.example/schema"}`, "is not to a part of the schema"},
		"a reference to nothing":   {`{"type":"object","$ref":"#/$defs/none"}`, "is not to a part of the schema"},
		"no object":                {`{"type":"string"}`, "not the JSON schema of an object"},
		"no schema":                {`7`, ""},
	} {
		tool := does("evil", "bomb", tools.Hints{}, says(""))
		tool.Input = json.RawMessage(c.schema)
		err := tool.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemasAsServersHaveThemAreTaken(t *testing.T) {
	for schema, args := range map[string]string{
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"path":{"type":"string"},"head":{"type":"number"}},"required":["path"]}`: `{"path":"a"}`,
		`{"type":"object","properties":{"edits":{"type":"array","items":{"$ref":"#/$defs/edit"}}},"$defs":{"edit":{"type":"object"}}}`:                               `{"edits":[{}]}`,
		bomb(5): `{"x":1}`,
	} {
		tool := does("s", "t", tools.Hints{ReadsOnly: true}, says("ok"))
		tool.Input = json.RawMessage(schema)
		if err := tool.Validate(); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		set := &tools.Set{From: []tools.Source{tool}, May: []tools.Rule{{Tools: "s/t"}}}
		if o := made(t, set, call("s__t", args), call("s__t", `{"path":1,"edits":1}`)); o[0].Text != "ok" || o[1].How != tools.Invalid {
			t.Errorf("%s: %+v", schema, o)
		}
	}
}

// FuzzCall gives a tool any schema and any arguments: it is refused, or they are checked.
func FuzzCall(f *testing.F) {
	f.Add(bomb(3), `{"x":1}`)
	f.Add(`{"type":"object","properties":{"a":{"pattern":"("}}}`, `{"a":"b"}`)
	f.Add(`{"type":"object","$ref":"#"}`, `{}`)
	f.Add(`{"type":"object","multipleOf":0}`, `{}`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		tool := does("s", "t", tools.Hints{ReadsOnly: true}, says("ok"))
		tool.Input = json.RawMessage(schema)
		if tool.Validate() != nil {
			return
		}
		set := &tools.Set{From: []tools.Source{tool}, May: []tools.Rule{{Tools: "s/t"}}}
		if o := made(t, set, call("s/t", args)); o[0].How != tools.Done && o[0].How != tools.Invalid {
			t.Errorf("%+v", o)
		}
	})
}
