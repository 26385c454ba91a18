package signals

import "fmt"

// An Enum holds the wire names of an enumerated type whose values start at 1,
// so that a value left unset is refused. [NewEnum] makes one; it is immutable.
type Enum[E ~uint8] struct {
	field string
	names []string
}

// NewEnum returns the enum whose value 1 has the first name; field is the wire
// name used in errors.
func NewEnum[E ~uint8](field string, names ...string) Enum[E] { return Enum[E]{field, names} }

func (e Enum[E]) has(v E) bool { return v >= 1 && int(v) <= len(e.names) }

// Check refuses a value without a name with a [*FieldError].
func (e Enum[E]) Check(v E) error {
	if e.has(v) {
		return nil
	}
	value := fmt.Sprint(uint8(v))
	if v == 0 {
		value = unset
	}
	return &FieldError{Field: e.field, Value: value, Problem: fmt.Sprintf("not one of %q", e.names)}
}

// unset is the text of the zero value.
const unset = "unset"

// String returns v's name, "unset" for 0, or its type and number if it has
// none.
func (e Enum[E]) String(v E) string {
	if v == 0 {
		return unset
	}
	if !e.has(v) {
		return fmt.Sprintf("%T(%d)", v, uint8(v))
	}
	return e.names[v-1]
}

// Marshal returns v's name, for MarshalText.
func (e Enum[E]) Marshal(v E) ([]byte, error) {
	if err := e.Check(v); err != nil {
		return nil, err
	}
	return []byte(e.names[v-1]), nil
}

// Unmarshal sets v to the value with that name, for UnmarshalText. It returns a
// [*FieldError] for any other text.
func (e Enum[E]) Unmarshal(text []byte, v *E) error {
	for i, name := range e.names {
		if string(text) == name {
			*v = E(i + 1)
			return nil
		}
	}
	return &FieldError{Field: e.field, Value: clip(string(text)), Problem: fmt.Sprintf("not one of %q", e.names)}
}
