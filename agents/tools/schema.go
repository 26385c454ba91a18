package tools

import (
	"encoding/json"
	"errors"

	"github.com/swarmbus/swarmbus/internal/schema"
)

// Lenient returns the spec of a server's tool with schemas that can be used: that of an object which
// does not say so says so, and what cannot be checked here, such as a pattern of another syntax or a
// schema that refers to itself, is left to the server. See [Spec.Unchecked].
func (s Spec) Lenient() Spec {
	var input map[string]json.RawMessage
	if err := json.Unmarshal(s.Input, &input); err == nil && input != nil && input["type"] == nil {
		input["type"] = json.RawMessage(`"object"`)
		s.Input, _ = json.Marshal(input) // it was decoded
	}
	if _, err := schema.Compile(s.Input); errors.Is(err, schema.ErrBeyond) {
		s.Unchecked = err.Error()
	}
	if _, err := schema.Compile(s.Output); s.Output != nil && errors.Is(err, schema.ErrBeyond) {
		s.Output = nil
	}
	return s
}

// checks returns the schema that arguments are checked against here.
func (s Spec) checks() json.RawMessage {
	if s.Unchecked != "" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return s.Input
}

func isObject(text json.RawMessage) bool {
	var schema struct{ Type any }
	return json.Unmarshal(text, &schema) == nil && schema.Type == "object"
}
