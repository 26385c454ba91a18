package signals

import (
	"encoding"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
)

// decodeError turns err, the result of reading data into a T, into a FieldError
// for the member at fault, or for whole, the name of all of data, if no member
// is.
func decodeError[T any](whole string, data []byte, err error) *FieldError {
	refused := &FieldError{Field: whole, Value: clipBytes(data), Problem: err.Error()}
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	var inner *FieldError
	switch {
	case errors.As(err, &syntax):
		return refused
	case errors.As(err, &typed):
		refused.Value, refused.Problem = clip(typed.Value), "not "+jsonType(typed.Type)
		if typed.Field != "" {
			refused.Field = typed.Field
			return refused
		}
	case errors.As(err, &inner):
		refused.Value, refused.Problem = inner.Value, inner.Problem
	}
	if member := refusedMember[T](data); member != "" {
		refused.Field = member
	}
	return refused
}

// refusedMember returns the first member, by name, of the JSON object data that
// a T does not accept. encoding/json names the member only in its own errors,
// not in those of an UnmarshalText or UnmarshalJSON method.
func refusedMember[T any](data []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		alone, err := json.Marshal(map[string]json.RawMessage{name: members[name]})
		if err == nil && json.Unmarshal(alone, new(T)) != nil {
			return name
		}
	}
	return ""
}

// jsonType describes, in JSON's terms, the value that a t is read from.
func jsonType(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a string"
	}
	switch k := t.Kind(); k {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number that fits " + k.String()
	default:
		return "a whole number that fits " + k.String()
	}
}
