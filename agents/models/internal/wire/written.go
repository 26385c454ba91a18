package wire

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
)

// What templates of models write for a call, which their servers do not always read.
var (
	tagged    = regexp.MustCompile(`(?s)\s*<tool_call>\s*(.*?)\s*</tool_call>\s*`)
	function  = regexp.MustCompile(`(?s)^<function=([^>\s]+)>(.*)$`)
	parameter = regexp.MustCompile(`(?s)<parameter=([^>\s]+)>\n?(.*?)\n*(?:</parameter>|$)`)
	fence     = regexp.MustCompile("(?s)^```(?:json|tool_call|)\\s*(.*?)\\s*```$")
)

// written returns the calls that a text consists of, or has in tags, and what is left of it. A text
// is never taken for calls in part: each has to name a tool that is offered, with its arguments.
func written(text string, offered []models.Tool) (all calls, rest string) {
	found := tagged.FindAllStringSubmatch(text, -1)
	if rest = strings.TrimSpace(tagged.ReplaceAllString(text, "\n")); found == nil {
		one := strings.TrimSpace(text)
		if inner := fence.FindStringSubmatch(one); inner != nil {
			one = inner[1]
		}
		found, rest = [][]string{{"", one}}, ""
	}
	for _, match := range found {
		o := ObjectOf([]byte(match[1]))
		if o == nil {
			o = tags(match[1], offered)
		}
		several := o.List("tool_calls")
		if several == nil {
			o["index"] = nil
			several = []json.RawMessage{nil}
		}
		for _, value := range several {
			if value != nil {
				o = ObjectOf(value)
			}
			f := o.Object("function")
			if f == nil {
				f = o
			}
			c := &call{name: f.Label("name"), id: o.Label("id")}
			args := argsOf(f)
			if !slices.ContainsFunc(offered, func(t models.Tool) bool { return t.Name == c.name }) || !isObject(args) {
				return nil, text
			}
			c.args = []string{args}
			all = append(all, c)
		}
	}
	return all, rest
}

// tags returns the call in tags of function and parameter, with each value as its schema has it.
func tags(text string, offered []models.Tool) Object {
	o := Object{}
	match := function.FindStringSubmatch(text)
	if match == nil {
		return o
	}
	i := slices.IndexFunc(offered, func(t models.Tool) bool { return t.Name == match[1] })
	if i < 0 {
		return o
	}
	properties, args := ObjectOf(offered[i].Schema).Object("properties"), Object{}
	for _, p := range parameter.FindAllStringSubmatch(match[2], -1) {
		value := json.RawMessage(strings.TrimSpace(p[2]))
		if properties.Object(p[1]).Text("type") == "string" || !json.Valid(value) {
			value, _ = json.Marshal(p[2])
		}
		args[p[1]] = value
	}
	o["name"], _ = json.Marshal(match[1])
	o["arguments"], _ = json.Marshal(args)
	return o
}
