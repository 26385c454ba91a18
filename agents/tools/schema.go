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

// conforms checks arguments.
func (s Spec) conforms(args json.RawMessage) error {
	if s.Unchecked != "" {
		return schema.Check(json.RawMessage(`{"type":"object"}`), args)
	}
	return schema.Check(s.Input, args)
}

func isObject(text json.RawMessage) bool {
	var schema struct{ Type any }
	return json.Unmarshal(text, &schema) == nil && schema.Type == "object"
}
