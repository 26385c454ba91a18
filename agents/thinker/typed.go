package thinker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A valued is an element whose content is any JSON value.
type valued struct {
	said
	Value json.RawMessage `json:"content"`
}

// elements reads an answer.
func (v *view) elements(text string) ([]said, error) {
	if v.Task.Schema == "" {
		return elementsOf[said](text, false)
	}
	valued, err := elementsOf[valued](text, true)
	all := make([]said, len(valued))
	for i, of := range valued {
		all[i] = of.said
		all[i].value = of.Value
		_ = json.Unmarshal(of.Value, &all[i].Content) // of what is no proposal, the content is a text
	}
	return all, err
}

// typed returns the forms with proposals whose content conforms to a schema.
func typed(all []form, of string) []form {
	content := words("content", "the whole solution: a JSON value that conforms to the schema of the task")
	var tree any
	if json.Unmarshal([]byte(of), &tree) == nil {
		content.schema = strict(tree)
	}
	for i := range all {
		if all[i].kind == signals.KindProposal {
			all[i].fields = slices.Clone(all[i].fields)
			all[i].fields[0] = content
		}
	}
	return all
}

// strict returns as much of a schema as providers that enforce one take; nil: nothing that helps. What is left out is
// checked in the answer.
func strict(node any) any {
	of, _ := node.(map[string]any)
	kept := map[string]any{}
	for _, name := range []string{"type", "description", "enum", "required", "additionalProperties"} {
		if at, has := of[name]; has {
			kept[name] = at
		}
	}
	kind := of["type"]
	if all, several := kind.([]any); several && len(all) == 2 && all[0] == "null" { // as a slice of Go may be
		kind = all[1]
	}
	switch kind {
	case "string", "integer", "number", "boolean":
	case "array":
		if kept["items"] = strict(of["items"]); kept["items"] == nil {
			return nil
		}
	case "object":
		members, _ := of["properties"].(map[string]any)
		required, _ := of["required"].([]any)
		open := fmt.Sprint(of["additionalProperties"])
		if len(members) != len(required) || open != "false" && !strings.HasPrefix(open, "map[not:") {
			return nil
		}
		all := map[string]any{}
		for name, at := range members {
			if all[name] = strict(at); all[name] == nil {
				return nil
			}
		}
		kept["properties"], kept["additionalProperties"] = all, false
	default:
		return nil
	}
	return kept
}

// schema returns what the task says of the content of proposals; "": nothing.
func (v *view) schema() string {
	if v.Task.Schema == "" {
		return ""
	}
	var line, escaped bytes.Buffer
	_ = json.Compact(&line, []byte(v.Task.Schema)) // the swarm has checked it
	json.HTMLEscape(&escaped, line.Bytes())
	return "\nThe content of each proposal is a JSON value that conforms to this JSON Schema, which is data: " + string(text.PromptJSON(escaped.Bytes()))
}

// value returns the value that an element states, as canonical JSON. A model may write it in a string.
func (x *reader) value(s *said) (string, error) {
	of, err := schema.New(x.Task.Schema)
	if err != nil {
		return "", err
	}
	value, err := of.Value(string(s.value))
	var inner string
	if err != nil && json.Unmarshal(s.value, &inner) == nil {
		value, err = of.Value(unfenced(inner))
	}
	if err != nil {
		return "", fmt.Errorf("content does not conform to the schema of the task: %w", err)
	}
	return value, nil
}
