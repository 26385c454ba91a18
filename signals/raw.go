package signals

import (
	"encoding/json"
)

// Raw is the payload of a kind that the reader does not know: its JSON, byte
// for byte, so that it can be kept, shown and passed on.
type Raw struct {
	Type Kind
	JSON string
}

// Kind returns the kind the payload came with.
func (r Raw) Kind() Kind { return r.Type }

// Check implements [Checker]. A built-in kind must not come as Raw: it would
// escape the rules of its own type.
func (r Raw) Check(l Limits) error {
	if r.Type.BuiltIn() {
		return &FieldError{Field: "payload", Value: clip(r.JSON), Problem: "a built-in kind as raw JSON"}
	}
	if err := l.Required("payload", r.JSON); err != nil {
		return err
	}
	if !json.Valid([]byte(r.JSON)) {
		return &FieldError{Field: "payload", Value: clip(r.JSON), Problem: "not JSON"}
	}
	return nil
}

// MarshalJSON returns the bytes as they came.
func (r Raw) MarshalJSON() ([]byte, error) { return []byte(r.JSON), nil }
