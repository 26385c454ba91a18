package reports

import (
	_ "embed" // the schema is a file
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

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

// Decode reads a report that conforms to [Schema]: all members, no others, of the
// right types, and at most 64 KiB. Otherwise it returns a [*signals.FieldError]. Names of members are
// compared byte for byte; of two with the same name the last counts.
func Decode(data []byte) (*Report, error) {
	return decode(data, func(array string, i int, err error) error { return fmt.Errorf("%s[%d]: %w", array, i, err) })
}

// decode reads a report. The callback is called for each item that does not conform to
// the schema; if it returns nil, the item is set aside and the rest is read.
func decode(data []byte, malformed func(array string, i int, err error) error) (*Report, error) {
	r := new(Report)
	if err := (signals.Limits{}).Text("report", string(data)); err != nil {
		return r, err
	}
	return r, readObject(data, reflect.ValueOf(r).Elem(), malformed)
}

// readObject reads a JSON object into a struct: a member for each field, by its exact
// name, and no others. Objects in an array are read one by one.
func readObject(data []byte, into reflect.Value, malformed func(array string, i int, err error) error) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return problem("report", clip(string(data)), "not a JSON object")
	}
	for i := range into.NumField() {
		name := into.Type().Field(i).Tag.Get("json")
		raw, there := members[name]
		if !there {
			return problem(name, "", "required")
		}
		delete(members, name)
		var err error
		if field := into.Field(i); field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct {
			err = readArray(name, raw, field, malformed)
		} else {
			err = readMember(name, raw, field.Addr().Interface())
		}
		if err != nil {
			return err
		}
	}
	if len(members) > 0 {
		return problem(clip(slices.Min(slices.Collect(maps.Keys(members)))), "", "not a member of the schema")
	}
	return nil
}

func readArray(name string, raw json.RawMessage, into reflect.Value, malformed func(array string, i int, err error) error) error {
	var all []json.RawMessage
	if err := readMember(name, raw, &all); err != nil {
		return err
	}
	into.Set(reflect.MakeSlice(into.Type(), len(all), len(all)))
	for i := range all {
		if err := readObject(all[i], into.Index(i), nil); err != nil {
			if err = malformed(name, i, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// readMember refuses JSON null, which encoding/json accepts for any type.
func readMember(name string, raw json.RawMessage, into any) error {
	if string(raw) == "null" || json.Unmarshal(raw, into) != nil {
		return problem(name, clip(string(raw)), "not "+jsonType(reflect.TypeOf(into).Elem().Kind()))
	}
	if word, ok := into.(interface{ known() error }); ok {
		return word.known()
	}
	return nil
}

func jsonType(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "an array of the right type"
}

// UnmarshalJSON reads an array of strings, none of which may be null.
func (l *List) UnmarshalJSON(data []byte) error {
	var all []*string
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*l = List{}
	for i, text := range all {
		if text == nil {
			return problem(fmt.Sprint(i), "null", "not a string")
		}
		*l = append(*l, *text)
	}
	return nil
}

func problem(field, value, what string) error {
	return &signals.FieldError{Field: field, Value: value, Problem: what}
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// clip cuts a text to the length for errors.
func clip(s string) string { return clipTo(s, 64) }

func clipTo(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
