package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/gowebpki/jcs"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A Values is the values that conform to a schema.
type Values struct{ of *jsonschema.Resolved }

// New returns the values of a JSON Schema: see [Compile].
func New(schema string) (*Values, error) {
	of, err := Compile(json.RawMessage(schema))
	return &Values{of}, err
}

// For returns the JSON Schema of a Go type: no other members than those of its fields, and all of these
// but those that may be omitted.
func For[T any]() (string, error) {
	of, err := jsonschema.For[T](nil)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(of)
	return string(b), err
}

// Value returns the text that stands for a value, canonical JSON (RFC 8785), or says how it does not
// conform. Two texts are one value if these are equal.
func (v *Values) Value(said string) (string, error) {
	canonical, err := Canonical(said)
	if err != nil {
		return "", err
	}
	var value any
	if err := json.Unmarshal([]byte(canonical), &value); err != nil {
		return "", err
	}
	if err := v.of.Validate(value); err != nil {
		return "", errors.New(text.Cut(err.Error(), 300))
	}
	return canonical, nil
}

// Canonical returns a JSON text in its canonical form. It refuses what has none: a member that is there
// twice, half a character, and a whole number beyond 2⁵³ that a double is not exact about.
func Canonical(said string) (string, error) {
	d := json.NewDecoder(strings.NewReader(said))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			break // at its end, or no JSON, as will be said
		}
		if n, ok := token.(json.Number); ok {
			if err := exact(n); err != nil {
				return "", err
			}
		}
	}
	canonical, err := jcs.Transform([]byte(said))
	if err != nil {
		return "", errors.New(text.Cut(err.Error(), 200))
	}
	return string(canonical), nil
}

// exact refuses a number that no double is near, and a whole one in digits that are not those of its double:
// another one could be the same value.
func exact(n json.Number) error {
	f, err := n.Float64()
	if err == nil && (math.Abs(f) < 1<<53 || strings.ContainsAny(n.String(), ".eE") || strconv.FormatFloat(f, 'f', -1, 64) == n.String()) {
		return nil
	}
	return fmt.Errorf("the number %s is not exact as a double: state it as a string", text.Cut(n.String(), 40))
}
