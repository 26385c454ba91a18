package agui

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// An Op is an operation of JSON Patch (RFC 6902): add, remove or replace.
type Op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// MarshalJSON implements [json.Marshaler]: remove has no value.
func (o Op) MarshalJSON() ([]byte, error) {
	if o.Op == "remove" {
		return json.Marshal(map[string]string{"op": o.Op, "path": o.Path})
	}
	type op Op
	return json.Marshal(op(o))
}

// Diff returns the operations that turn a into b, both as package json decodes them. Members
// of objects are compared one by one; an array that differs is replaced as a whole.
func Diff(a, b any) []Op { return diff(nil, "", a, b) }

func diff(ops []Op, path string, a, b any) []Op {
	was, object := a.(map[string]any)
	is, both := b.(map[string]any)
	if !object || !both {
		if !reflect.DeepEqual(a, b) {
			ops = append(ops, Op{"replace", path, b})
		}
		return ops
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, kept := is[name]; !kept {
			ops = append(ops, Op{Op: "remove", Path: path + "/" + pointer.Replace(name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		at := path + "/" + pointer.Replace(name)
		if old, known := was[name]; known {
			ops = diff(ops, at, old, is[name])
		} else {
			ops = append(ops, Op{"add", at, is[name]})
		}
	}
	return ops
}

// pointer escapes a name in a JSON Pointer (RFC 6901).
var pointer = strings.NewReplacer("~", "~0", "/", "~1")
