// Package schema checks JSON texts against JSON Schemas that others wrote, and says which texts are one value.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/swarmbus/swarmbus/internal/text"
)

// The bounds of a schema, which a server writes and we check arguments against.
const (
	mostSchema = 64 << 10 // bytes
	mostNodes  = 20_000   // values in it, with each reference followed
	mostDepth  = 64
)

// ErrBeyond is the error for a schema that is one, but cannot be checked here, such as one that refers to itself.
var ErrBeyond = errors.New("cannot be checked here")

var (
	errNoObject = errors.New("not the JSON schema of an object")
	errTooBig   = fmt.Errorf("more than %d parts once references are followed", mostNodes)
)

// Compile returns a schema to check values against. It refuses one that would take long to
// check: a big one, one whose references multiply, and one that refers to itself.
func Compile(raw json.RawMessage) (*jsonschema.Resolved, error) {
	if len(raw) > mostSchema {
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", len(raw), mostSchema)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil || tree == nil {
		return nil, errNoObject
	}
	w := weigher{root: tree, known: map[string]int{}}
	if _, err := w.weigh(tree, 0); err != nil {
		return nil, err
	}
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, schema); err != nil {
		return nil, errors.New(text.Cut(err.Error(), 200))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBeyond, text.Cut(err.Error(), 200))
	}
	return resolved, nil
}

// A weigher counts the values of a schema as often as a check may look at them.
type weigher struct {
	root  any
	known map[string]int // by reference; -1: being counted
}

func (w *weigher) weigh(node any, depth int) (sum int, err error) {
	if depth > mostDepth {
		return 0, fmt.Errorf("nested deeper than %d", mostDepth)
	}
	sum = 1
	add := func(child any) error {
		n, err := w.weigh(child, depth+1)
		if sum += n; err == nil && sum > mostNodes {
			err = errTooBig
		}
		return err
	}
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			if err := add(child); err != nil {
				return 0, err
			}
		}
	case map[string]any:
		for name, child := range node {
			if err := add(child); err != nil {
				return 0, err
			}
			if to, isText := child.(string); isText && (name == "$ref" || name == "$dynamicRef") {
				n, err := w.follow(to, depth)
				if sum += n; err != nil {
					return 0, err
				}
				if sum > mostNodes {
					return 0, errTooBig
				}
			}
		}
	}
	return sum, nil
}

// follow counts what a reference refers to.
func (w *weigher) follow(to string, depth int) (int, error) {
	n, known := w.known[to]
	switch {
	case n < 0:
		return 0, fmt.Errorf("%w: recursive schemas are not supported: %s refers to itself; state the depth that is needed instead", ErrBeyond, text.Cut(to, 80))
	case known:
		return n, nil
	}
	node, found := w.find(to)
	if !found {
		return 0, fmt.Errorf("reference %s is not to a part of the schema", text.Cut(to, 80))
	}
	w.known[to] = -1
	n, err := w.weigh(node, depth+1)
	w.known[to] = n
	return n, err
}

// find returns the node of a reference such as #/$defs/name.
func (w *weigher) find(to string) (node any, found bool) {
	path, ok := strings.CutPrefix(to, "#")
	if !ok || path != "" && path[0] != '/' {
		return nil, false
	}
	node = w.root
	for _, step := range strings.Split(path, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch at := node.(type) {
		case map[string]any:
			node, ok = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if ok = err == nil && 0 <= i && i < len(at); ok {
				node = at[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return node, true
}

// Check returns an error that says how a JSON text does not conform to a schema. Every text
// conforms to a nil schema.
func Check(schema, text json.RawMessage) error {
	if schema == nil {
		return nil
	}
	resolved, err := Compile(schema)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}
