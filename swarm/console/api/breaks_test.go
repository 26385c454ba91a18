package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

type object = map[string]any

// A comparison finds what a client of an OpenAPI description may rely on and another one lacks.
type comparison struct {
	before, after object
	seen          map[string]bool // pairs of references
	found         []string
}

func breaks(t *testing.T, before, after []byte) []string {
	t.Helper()
	c := comparison{seen: map[string]bool{}}
	for text, of := range map[*[]byte]*object{&before: &c.before, &after: &c.after} {
		if err := json.Unmarshal(*text, of); err != nil {
			t.Fatal(err)
		}
	}
	for path, methods := range sorted(get(c.before, "paths")) {
		for method, op := range sorted(methods.(object)) {
			now := get(get(get(c.after, "paths"), path), method)
			if where := strings.ToUpper(method) + " " + path; now == nil {
				c.lacks(where)
			} else {
				c.operation(where, op.(object), now)
			}
		}
	}
	return c.found
}

func (c *comparison) lacks(where string) { c.found = append(c.found, where) }

func (c *comparison) operation(where string, before, after object) {
	now := map[string]object{}
	for _, p := range list(after["parameters"]) {
		now[p["name"].(string)] = p
	}
	for _, p := range list(before["parameters"]) {
		name := p["name"].(string)
		of := now[name]
		delete(now, name)
		if of == nil {
			c.lacks(where + "?" + name)
			continue
		}
		if of["required"] == true && p["required"] != true {
			c.lacks(where + "?" + name + " is required")
		}
		c.schema(where+"?"+name, get(p, "schema"), get(of, "schema"), true)
	}
	for name, p := range sorted(now) {
		if p["required"] == true {
			c.lacks(where + "?" + name + " is required")
		}
	}
	c.content(where+" body", get(before, "requestBody"), get(after, "requestBody"), true)
	for status, answer := range sorted(get(before, "responses")) {
		is := get(get(after, "responses"), status)
		if is == nil {
			if strings.HasPrefix(status, "2") {
				c.lacks(where + " " + status)
			}
			continue
		}
		c.content(where+" "+status, answer.(object), is, false)
	}
}

func (c *comparison) content(where string, before, after object, sent bool) {
	for kind, of := range sorted(get(before, "content")) {
		now := get(get(after, "content"), kind)
		if now == nil {
			c.lacks(where + " as " + kind)
			continue
		}
		c.schema(where, get(of.(object), "schema"), get(now, "schema"), sent)
	}
}

// schema compares what is sent to the server, or what it answers.
func (c *comparison) schema(where string, before, after object, sent bool) {
	pair := fmt.Sprint(before["$ref"], after["$ref"], sent)
	if before["$ref"] != nil && c.seen[pair] {
		return
	}
	c.seen[pair] = true
	before, after = resolve(c.before, before), resolve(c.after, after)
	if of, is := fmt.Sprint(before["type"]), fmt.Sprint(after["type"]); of != is {
		c.lacks(fmt.Sprintf("%s is %s, was %s", where, is, of))
	}
	for _, v := range words(before["enum"]) {
		if sent && !slices.Contains(words(after["enum"]), v) && after["enum"] != nil {
			c.lacks(where + " = " + v)
		}
	}
	for name, of := range sorted(get(before, "properties")) {
		now := get(get(after, "properties"), name)
		if now == nil {
			c.lacks(where + "." + name)
			continue
		}
		c.schema(where+"."+name, of.(object), now, sent)
	}
	required := map[bool][]string{true: words(before["required"]), false: words(after["required"])}
	for _, name := range required[!sent] { // a request may not need more, an answer may not have less
		if !slices.Contains(required[sent], name) {
			c.lacks(fmt.Sprintf("%s.%s is required: %t", where, name, sent))
		}
	}
	if of, is := get(before, "items"), get(after, "items"); of != nil && is != nil {
		c.schema(where+"[]", of, is, sent)
	}
}

func resolve(in, schema object) object {
	name, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	return get(get(get(in, "components"), "schemas"), name[strings.LastIndex(name, "/")+1:])
}

func get(of any, name string) object {
	o, _ := of.(object)
	to, _ := o[name].(object)
	return to
}

func list(of any) (all []object) {
	some, _ := of.([]any)
	for _, one := range some {
		all = append(all, one.(object))
	}
	return all
}

func words(of any) (all []string) {
	some, _ := of.([]any)
	for _, one := range some {
		all = append(all, fmt.Sprint(one))
	}
	return all
}

func sorted[V any](m map[string]V) func(func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// TestAVersionOfTheAPIKeepsWhatItHas compares the description with the one that is checked in: -update
// takes it only if no client of before breaks, or with -break.
func TestAVersionOfTheAPIKeepsWhatItHas(t *testing.T) {
	before, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	after, err := api.Describe("devel")
	if err != nil {
		t.Fatal(err)
	}
	for _, lost := range breaks(t, before, after) {
		t.Errorf("a client may rely on it: %s", lost)
	}
}

func TestWhatBreaksAClientIsFound(t *testing.T) {
	t.Parallel()
	now, err := api.Describe("devel")
	if err != nil {
		t.Fatal(err)
	}
	for change, c := range map[string]struct {
		replace [2]string
		want    string
	}{
		"a route is gone":                {[2]string{`"/api/v1/compare"`, `"/api/v1/compared"`}, "GET /api/v1/compare"},
		"a member is gone":               {[2]string{`"rounds":{`, `"turns":{`}, ".rounds"},
		"a member of a request is new":   {[2]string{`"required":["team","task"]`, `"required":["team","task","mode"]`}, "POST /api/v1/solves body.mode is required: true"},
		"a member of an answer may lack": {[2]string{`"required":["id","run","thread"`, `"required":["run","thread"`}, "id is required: false"},
		"a type is another":              {[2]string{`"type":"integer"`, `"type":"string"`}, "is string, was integer"},
	} {
		changed := strings.ReplaceAll(string(now), c.replace[0], c.replace[1])
		if changed == string(now) {
			t.Errorf("%s: nothing is changed", change)
			continue
		}
		if found := breaks(t, now, []byte(changed)); !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("%s: found %q, want %s", change, found, c.want)
		}
	}
	if found := breaks(t, now, now); len(found) > 0 {
		t.Errorf("found %q in the same description", found)
	}
}
