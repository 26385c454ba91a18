// Package schema checks JSON texts against JSON Schemas that others wrote, and says which texts are one value.
package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
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
	mostSteps  = 10_000 // of its patterns, with each repetition written out
)

// ErrBeyond is the error for a schema that is one, but cannot be checked here, such as one that refers to itself.
var ErrBeyond = errors.New("cannot be checked here")

var (
	errNoObject = errors.New("not the JSON schema of an object")
	errTooBig   = fmt.Errorf("more than %d parts once references are followed", mostNodes)
)

// Compile returns a schema to check values against. It refuses one that would take long to
// check: a big one, one whose references or patterns multiply, and one that refers to itself.
func Compile(raw json.RawMessage) (*jsonschema.Resolved, error) {
	if len(raw) > mostSchema {
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", len(raw), mostSchema)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil || tree == nil {
		return nil, errNoObject
	}
	if err := weigh(tree); err != nil {
		return nil, err
	}
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, schema); err != nil {
		return nil, errors.New(text.Cut(err.Error(), 200))
	}
	// What counts is the schema as it was read: of members that are there twice or in other letters.
	read, err := json.Marshal(schema)
	if err == nil {
		tree = nil
		err = json.Unmarshal(read, &tree)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBeyond, text.Cut(err.Error(), 200))
	}
	if err := weigh(tree); err != nil {
		return nil, err
	}
	if err := typed(tree, ""); err != nil {
		return nil, err
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBeyond, text.Cut(err.Error(), 200))
	}
	return resolved, nil
}

// types are those that a value may have.
var types = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// typed refuses a schema that names a type which there is not: no value would conform to it.
func typed(node any, at string) error {
	if all, is := node.([]any); is {
		for i, child := range all {
			if err := typed(child, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	}
	of, _ := node.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		var err error
		switch child := of[name]; name {
		case "type":
			err = known(child, at+"type")
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			all, _ := child.(map[string]any)
			for _, member := range slices.Sorted(maps.Keys(all)) {
				err = cmp.Or(err, typed(all[member], at+name+"."+member+"."))
			}
		case "const", "enum", "default", "examples": // values, not schemas
		default:
			err = typed(child, at+name+".")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// known refuses a type, or a list of them, that has one which there is not.
func known(of any, at string) error {
	all, is := of.([]any)
	if !is {
		all = []any{of}
	}
	for _, each := range all {
		if name, is := each.(string); is && !slices.Contains(types, name) {
			return fmt.Errorf("%w: %s: %q is no type%s", ErrBeyond, text.Cut(at, 80), text.Cut(name, 80), text.Suggest(name, types))
		}
	}
	return nil
}

// weigh refuses a schema that would take long to check, or for ever.
func weigh(tree map[string]any) error {
	w := weigher{root: tree, known: map[string]int{}}
	_, err := w.weigh(tree, 0)
	return err
}

// A weigher counts the values of a schema as often as a check may look at them.
type weigher struct {
	root  any
	known map[string]int // by reference; -1: being counted
	steps int            // of patterns
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
			n, err := w.member(name, child, depth)
			if sum += n; err == nil && sum > mostNodes {
				err = errTooBig
			}
			if err != nil {
				return 0, err
			}
		}
	}
	return sum, nil
}

// member counts what a member of a schema brings beside its value.
func (w *weigher) member(name string, value any, depth int) (int, error) {
	if all, is := value.(map[string]any); is && name == "patternProperties" {
		for p := range all {
			if err := w.pattern(p); err != nil {
				return 0, err
			}
		}
	}
	to, isText := value.(string)
	switch {
	case !isText:
	case name == "$ref" || name == "$dynamicRef":
		return w.follow(to, depth)
	case name == "$id" && depth > 0:
		return 0, fmt.Errorf("%w: $id %s within a schema changes what references are to", ErrBeyond, text.Cut(to, 80))
	case name == "pattern":
		return 0, w.pattern(to)
	}
	return 0, nil
}

// pattern refuses a pattern that would take much memory. One that cannot be read is refused elsewhere.
func (w *weigher) pattern(of string) error {
	if p, err := syntax.Parse(of, syntax.Perl); err == nil {
		w.steps += steps(p)
	}
	if w.steps > mostSteps {
		return fmt.Errorf("patterns of more than %d steps once repetitions are written out", mostSteps)
	}
	return nil
}

// steps returns the size of a pattern, of one that is far too big a lower bound.
func steps(p *syntax.Regexp) int {
	n := 1 + len(p.Rune)
	for _, sub := range p.Sub {
		n += steps(sub)
	}
	if p.Op == syntax.OpRepeat {
		n *= max(p.Min, p.Max, 1)
	}
	return min(n, mostSteps+1)
}

// follow counts what a reference refers to.
func (w *weigher) follow(to string, depth int) (int, error) {
	n, known := w.known[to]
	switch {
	case strings.Contains(to, "%"):
		return 0, fmt.Errorf("%w: reference %s has an escape", ErrBeyond, text.Cut(to, 80))
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
