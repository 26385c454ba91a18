package reports

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the schema is a file
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of a report. It has only keywords that every
// provider of structured output accepts: type, properties, required, items,
// enum and description, with all members required and no others. The number of
// items and the length of texts are limited by the [Gate], which rejects a
// single item where a schema would reject the report.
func Schema() json.RawMessage { return slices.Clone(schema) }

// Decode reads a report that conforms to [Schema] and has at most 64 KiB. Otherwise it
// returns a [*signals.FieldError]. The model may be missing. Names of members are compared byte for byte; of two
// with the same name the last counts.
func Decode(data []byte) (*Report, error) {
	r, err := read(data)
	for _, at := range slices.Sorted(maps.Keys(r.malformed)) {
		err = cmp.Or(err, fmt.Errorf("%s: %w", at, r.malformed[at]))
	}
	if err != nil {
		return nil, err
	}
	return &r.Report, nil
}

// A sent is a report as it was read.
type sent struct {
	Report
	digest    string           // hash of the content, whatever its form
	malformed map[string]error // why items do not conform to the schema, by place
}

// place names an item of an array, such as findings[0].
func place(array string, i int) string { return fmt.Sprintf("%s[%d]", array, i) }

// read reads a report. Items that do not conform to the schema are set aside; an error
// is of the report as a whole, of which what could be read is returned.
func read(data []byte) (r sent, err error) {
	if err := (signals.Limits{}).Text("report", string(data)); err != nil {
		return r, err
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return r, problem("report", string(data), "not JSON")
	}
	canonical, _ := json.Marshal(v) // of what was JSON, which cannot fail
	r.digest = fmt.Sprintf("%x", sha256.Sum256(canonical))
	_ = json.Unmarshal(canonical, &r.Report) // the schema says what does not fit
	r.malformed = map[string]error{}
	return r, root.check("report", v, r.malformed)
}

// A shape is a schema with the keywords that a report's has.
type shape struct {
	Type       string            `json:"type"`
	Enum       []string          `json:"enum"`
	Items      *shape            `json:"items"`
	Properties map[string]*shape `json:"properties"`
}

var root = func() (s shape) {
	if err := json.Unmarshal(schema, &s); err != nil {
		panic(err) // the file is constant
	}
	return s
}()

// check returns the first thing in a value that does not conform to the schema, apart
// from objects in arrays, which are added to aside.
func (s *shape) check(name string, v any, aside map[string]error) error {
	if s.Type != jsonTypes[reflect.ValueOf(v).Kind()] {
		text, _ := json.Marshal(v)
		return problem(name, string(text), "not a JSON "+s.Type)
	}
	switch v := v.(type) {
	case string:
		if len(s.Enum) > 0 {
			return oneOf(name, v, s.Enum...)
		}
	case []any:
		for i, item := range v {
			switch err := s.Items.check(name, item, aside); {
			case err != nil && s.Items.Type == "object":
				aside[place(name, i)] = err
			case err != nil:
				return err
			}
		}
	case map[string]any:
		return s.checkMembers(v, aside)
	}
	return nil
}

func (s *shape) checkMembers(members map[string]any, aside map[string]error) error {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		switch value, there := members[name]; {
		case there:
			if err := s.Properties[name].check(name, value, aside); err != nil {
				return err
			}
		case name != "model": // which the runtime may know
			return problem(name, "", "required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if s.Properties[name] == nil {
			return problem(clip(name), "", "not a member of the schema")
		}
	}
	return nil
}

// jsonTypes are the types of JSON as encoding/json reads them; null has none.
var jsonTypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Float64: "number", reflect.Bool: "boolean", reflect.Slice: "array", reflect.Map: "object",
}

func problem(field, value, what string) error {
	return &signals.FieldError{Field: field, Value: clip(value), Problem: what}
}

// clip cuts a text to the length for errors.
func clip(s string) string { return text.Cut(s, 64) }
