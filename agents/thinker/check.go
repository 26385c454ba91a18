package thinker

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

// Validate returns a [*signals.FieldError] for the first field that breaks a rule. A
// swarm calls it for its agents.
func (t *Thinker) Validate() error {
	for _, x := range []struct {
		field string
		value int
	}{{"tokens", t.Tokens}, {"prompt", t.Prompt}, {"text", t.Text}} {
		if err := signals.AtLeastZero("thinker."+x.field, float64(x.value)); err != nil {
			return err
		}
	}
	if t.Temperature != nil {
		if err := signals.AtLeastZero("thinker.temperature", *t.Temperature); err != nil {
			return err
		}
	}
	for _, k := range t.CanEmit {
		if !slices.Contains(Says(), k) && !slices.Contains(Coordinates(), k) && k != (reports.Turn{}).Kind() {
			return &signals.FieldError{Field: "thinker.canEmit", Value: string(k), Problem: "not a kind that a thinker can say"}
		}
	}
	for i := range t.Tools {
		taken := slices.ContainsFunc(t.Tools[:i], func(other Tool) bool { return other.Name == t.Tools[i].Name })
		if err := t.Tools[i].validate(fmt.Sprintf("thinker.tools[%d]", i), taken); err != nil {
			return err
		}
	}
	return nil
}

// toolName is what providers accept.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (t *Tool) validate(field string, taken bool) error {
	var schema map[string]json.RawMessage
	switch {
	case !toolName.MatchString(t.Name):
		return &signals.FieldError{Field: field + ".name", Value: t.Name, Problem: "not 1 to 64 letters, digits, _ and -"}
	case taken:
		return &signals.FieldError{Field: field + ".name", Value: t.Name, Problem: "taken"}
	case json.Unmarshal(t.Schema, &schema) != nil || string(schema["type"]) != `"object"`:
		return &signals.FieldError{Field: field + ".schema", Value: string(t.Schema), Problem: "not the JSON schema of an object"}
	case t.Call == nil:
		return &signals.FieldError{Field: field + ".call", Value: t.Name, Problem: "missing"}
	}
	return nil
}
