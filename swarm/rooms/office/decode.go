package office

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/swarmbus/swarmbus/internal/text"
)

// keys are those of an office, its agents and their lines.
var keys = strings.Fields("rooms turns queue hops budget pause tries timeout models servers stub chair agents " +
	"name role model script tools position when call fail say to subject priority takes tool args label result error")

// decode reads a text into an office. The decoder stops at the first key that it does not know;
// without that key it goes on to the next.
func decode(path string, text []byte, o *Office) error {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return placed(path, err)
	}
	type problem struct {
		at  *token.Position
		err error
	}
	var all []problem // keys that are not known
	for _, doc := range file.Docs {
		for doc.Body != nil {
			*o = Office{}
			err := yaml.NodeToValue(doc.Body, o, yaml.Strict())
			if err == nil {
				break
			}
			var unknown *yaml.UnknownFieldError
			if !errors.As(err, &unknown) || !without(doc.Body, unknown.GetToken()) {
				return placed(path, err)
			}
			all = append(all, problem{unknown.GetToken().Position, placed(path, err)})
		}
	}
	slices.SortFunc(all, func(a, b problem) int { return cmp.Compare(a.at.Offset, b.at.Offset) })
	var problems []error
	for _, p := range all {
		problems = append(problems, p.err)
	}
	return errors.Join(problems...)
}

// placed returns an error with its place and, if a key is not known, one that may be meant.
func placed(path string, err error) error {
	var of yaml.Error
	if !errors.As(err, &of) || of.GetToken() == nil {
		return fmt.Errorf("office: %s: %w", path, err)
	}
	problem := of.GetMessage()
	if name, ok := strings.CutPrefix(problem, "unknown field "); ok {
		problem += text.Suggest(strings.Trim(name, `"`), keys)
	}
	at := of.GetToken().Position
	return fmt.Errorf("office: %s:%d:%d: %s", path, at.Line, at.Column, problem)
}

// without takes the key at a token out of a document, and reports whether it was there.
func without(doc ast.Node, key *token.Token) bool {
	found := false
	ast.Walk(visitor(func(n ast.Node) {
		if m, ok := n.(*ast.MappingNode); ok {
			before := len(m.Values)
			m.Values = slices.DeleteFunc(m.Values, func(v *ast.MappingValueNode) bool {
				at := v.Key.GetToken().Position
				return at.Line == key.Position.Line && at.Column == key.Position.Column
			})
			found = found || len(m.Values) < before
		}
	}), doc)
	return found
}

type visitor func(ast.Node)

// Visit implements [ast.Visitor].
func (v visitor) Visit(n ast.Node) ast.Visitor {
	v(n)
	return v
}
