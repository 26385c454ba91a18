package yamlfile

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/swarmbus/swarmbus/internal/text"
)

// walk finds keys that a value of type t does not have, and notes the places of the others.
func (f *File) walk(node ast.Node, t reflect.Type, field string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch n := node.(type) {
	case *ast.AliasNode, *ast.AnchorNode, *ast.TagNode, *ast.MergeKeyNode:
		f.add(field, node.GetToken().Position, "anchors, aliases, merge keys and tags are not supported")
	case *ast.MappingNode:
		for _, value := range n.Values {
			f.entry(value, t, field)
		}
	case *ast.SequenceNode:
		for i, value := range n.Values {
			inside := fmt.Sprintf("%s[%d]", field, i)
			f.places[inside] = begin(value)
			if t.Kind() == reflect.Slice {
				f.walk(value, t.Elem(), inside)
			}
		}
	case ast.ScalarNode:
		if !isText(t) {
			return
		}
		if err := reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.GetToken().Value)); err != nil {
			f.add(field, n.GetToken().Position, err.Error()) // the decoder would not say where
		}
	}
}

// entry checks a key and its value in a value of type t.
func (f *File) entry(n *ast.MappingValueNode, t reflect.Type, field string) {
	name, at := n.Key.GetToken().Value, n.Key.GetToken().Position
	inside := strings.TrimPrefix(field+"."+name, ".")
	f.places[inside] = at
	switch {
	case n.Key.IsMergeKey():
		f.walk(n.Key, t, inside)
	case t.Kind() == reflect.Map:
		f.walk(n.Value, t.Elem(), inside)
	case t.Kind() == reflect.Struct && !isText(t):
		i := slices.Index(Keys(t), name)
		if i < 0 {
			f.add(inside, at, "there is no such key"+text.Suggest(name, Keys(t)))
			return
		}
		if of := t.Field(i); strings.Contains(of.Tag.Get("json"), ",omit") && isEmpty(n.Value, of.Type) {
			f.add(inside, at, "is zero or empty: leave it out for the default")
		} else {
			f.walk(n.Value, of.Type, inside)
		}
	}
}

// Keys returns the keys of a struct type in a file, in the order of its fields.
func Keys(t reflect.Type) (keys []string) {
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

// isText reports whether values of the type are written as text.
func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// isEmpty reports whether a field of the type could not be told from one that is left out.
func isEmpty(n ast.Node, t reflect.Type) bool {
	switch n := n.(type) {
	case *ast.NullNode:
		return true
	case *ast.MappingNode:
		return len(n.Values) == 0
	case *ast.SequenceNode:
		return len(n.Values) == 0
	case *ast.StringNode:
		return n.Value == ""
	case *ast.IntegerNode, *ast.FloatNode:
		return t.Kind() != reflect.Pointer && strings.Trim(n.GetToken().Value, "+-0.") == ""
	}
	return false
}

// begin returns where a node begins.
func begin(n ast.Node) *token.Position {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken().Position
	}
	return n.GetToken().Position
}

// wanted says in words what a value of the type is.
func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "a duration such as 90s or 10m"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Bool:
		return "true or false"
	}
	return "a text"
}
