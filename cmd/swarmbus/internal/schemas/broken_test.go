package schemas_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// differences compares two versions of a description: JSON Schema, OpenAPI or AsyncAPI. It
// returns what breaks those who rely on the old one: a member, route, message or word that
// is gone, another type, a limit that was not there, a member that is required now or is
// not any more. What is added breaks nothing, and texts for people do not count.
func differences(before, after []byte) ([]string, error) {
	var was, is any
	if err := json.Unmarshal(before, &was); err != nil {
		return nil, fmt.Errorf("schemas: the old description: %w", err)
	}
	if err := json.Unmarshal(after, &is); err != nil {
		return nil, fmt.Errorf("schemas: the new description: %w", err)
	}
	var c comparison
	c.compare("", was, is)
	slices.Sort(c.found)
	return c.found, nil
}

type comparison struct{ found []string }

func (c *comparison) say(path, format string, args ...any) {
	c.found = append(c.found, strings.TrimPrefix(path, ".")+": "+fmt.Sprintf(format, args...))
}

// prose are members that only people read, and versions of a document.
var prose = []string{"description", "title", "summary", "example", "examples", "tags", "info", "$id", "$comment", "operationId"}

// narrow are members that narrow what a schema allows.
var narrow = []string{"type", "enum", "const", "pattern", "format", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "additionalProperties"}

// frames are members that hold named things, whose names are enough of a path.
var frames = []string{"properties", "schemas", "components", "paths", "$defs", "parameters", "channels", "messages", "operations", "responses"}

func (c *comparison) compare(path string, was, is any) {
	if reflect.DeepEqual(was, is) {
		return
	}
	switch was := was.(type) {
	case map[string]any:
		if is, ok := is.(map[string]any); ok {
			c.objects(path, was, is)
			return
		}
	case []any:
		if is, ok := is.([]any); ok {
			c.lists(path, was, is)
			return
		}
	}
	c.say(path, "is %s, was %s", asText(is), asText(was))
}

func (c *comparison) objects(path string, was, is map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if slices.Contains(prose, name) && !named(path) {
			continue
		}
		now, ok := is[name]
		switch at := step(path, name); {
		case ok:
			c.compare(at, was[name], now)
		case name == "required" && !named(path):
			c.words(at, list(was[name]), nil)
		default:
			c.say(at, "is gone")
		}
	}
	if named(path) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[name]; ok {
			continue
		}
		switch {
		case name == "required" && is[name] != false:
			c.words(step(path, name), nil, list(is[name]))
		case slices.Contains(narrow, name):
			c.say(step(path, name), "is %s, was not limited", asText(is[name]))
		}
	}
}

// named reports whether the members of an object are named by those who wrote the types.
func named(path string) bool {
	last := path[strings.LastIndexByte(path, '.')+1:]
	return slices.Contains(frames, last)
}

func step(path, name string) string { return path + "." + strings.ReplaceAll(name, ".", "·") }

func list(v any) []any {
	all, _ := v.([]any)
	return all
}

// lists compares lists of words as sets, and those of objects by their names.
func (c *comparison) lists(path string, was, is []any) {
	switch last := path[strings.LastIndexByte(path, '.')+1:]; {
	case last == "enum":
		for _, word := range was {
			if !has(is, word) {
				c.say(path, "%s is gone", asText(word))
			}
		}
	case last == "required":
		c.words(path, was, is)
	case len(was) > 0 && nameOf(was[0]) != "":
		c.objects(path, byName(was), byName(is))
	case last == "oneOf" || last == "anyOf":
		for i := range was {
			if i >= len(is) {
				c.say(fmt.Sprint(path, "[", i, "]"), "is gone")
			} else {
				c.compare(fmt.Sprint(path, "[", i, "]"), was[i], is[i])
			}
		}
	default:
		c.say(path, "is %s, was %s", asText(is), asText(was))
	}
}

// words compares what is required.
func (c *comparison) words(path string, was, is []any) {
	path = strings.TrimSuffix(path, ".required")
	for _, word := range was {
		if !has(is, word) {
			c.say(fmt.Sprint(path, ".", word), "is not required any more")
		}
	}
	for _, word := range is {
		if !has(was, word) {
			c.say(fmt.Sprint(path, ".", word), "is required now")
		}
	}
}

func has(all []any, one any) bool {
	return slices.ContainsFunc(all, func(v any) bool { return reflect.DeepEqual(v, one) })
}

func nameOf(v any) string {
	object, _ := v.(map[string]any)
	name, _ := object["name"].(string)
	return name
}

func byName(all []any) map[string]any {
	named := map[string]any{}
	for _, v := range all {
		named[nameOf(v)] = v
	}
	return named
}

func asText(v any) string {
	data, err := json.Marshal(v)
	if err != nil || len(data) > 100 {
		return "something else"
	}
	return string(data)
}
