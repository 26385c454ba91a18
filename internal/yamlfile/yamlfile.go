// Package yamlfile reads YAML files that people write. It finds all keys that a file must not
// have, and says of each thing that is wrong what it is and where.
package yamlfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// An Error says what is wrong with a file, and where.
type Error struct {
	file         string // "": what is wrong is not from a file
	line, column int    // from 1; 0: unknown
	Field        string // such as agents[1].model; "": the whole file
	Problem      string
}

func (e *Error) Error() string {
	text := e.Problem
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	switch {
	case e.file == "":
		return text
	case e.line == 0:
		return e.file + ": " + text
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.file, e.line, e.column, text)
}

// MostBytes is the most bytes of a file.
const MostBytes = 1 << 20

// A File is one that is read. It is made by [New], and used by one goroutine.
type File struct {
	name   string
	places map[string]*token.Position // of fields
	faults []*Error
}

// New returns a file with a name, which is only for errors.
func New(name string) *File { return &File{name: name, places: map[string]*token.Position{}} }

// Add adds what is wrong with a field, at its place or the nearest around it that the file has.
func (f *File) Add(field, problem string) { f.add(field, f.placeOf(field), problem) }

// AddAt adds what is wrong at a line and column, both from 1.
func (f *File) AddAt(line, column int, problem string) {
	f.add("", &token.Position{Line: line, Column: column}, problem)
}

func (f *File) add(field string, at *token.Position, problem string) {
	e := &Error{file: f.name, Field: field, Problem: problem}
	if at != nil {
		e.line, e.column = at.Line, at.Column
	}
	f.faults = append(f.faults, e)
}

// Err returns all that is wrong, each an [*Error], joined, in the order of the file; nil: nothing is.
func (f *File) Err() error {
	slices.SortStableFunc(f.faults, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var all []error
	for _, e := range f.faults {
		all = append(all, e)
	}
	return errors.Join(all...)
}

// placeOf returns the place of a field, or of the nearest around it that the file has.
func (f *File) placeOf(field string) *token.Position {
	for field != "" && f.places[field] == nil {
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return f.places[field]
}

// Decode reads a text into the struct that v points to, whose keys are those of json tags.
// It returns what [File.Err] does. A field that is left out where it is empty must not be
// stated as empty.
func (f *File) Decode(text []byte, v any) error {
	if len(text) > MostBytes {
		return &Error{file: f.name, Problem: fmt.Sprintf("%d bytes, at most %d are allowed", len(text), MostBytes)}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // with which some editors begin a file
	root, err := f.root(text)
	if err != nil {
		return err
	}
	if f.walk(root, reflect.TypeOf(v).Elem(), ""); f.faults != nil {
		return f.Err()
	}
	if err := yaml.NodeToValue(root, v); err != nil {
		return f.fault(err)
	}
	return nil
}

// root returns the mapping that the text is.
func (f *File) root(text []byte) (*ast.MappingNode, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, f.fault(err)
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 1 {
		if root, ok := bodies[0].(*ast.MappingNode); ok {
			return root, nil
		}
	}
	return nil, &Error{file: f.name, Problem: "not one YAML document with keys and their values"}
}

// fault returns an error of the YAML library with its place.
func (f *File) fault(err error) error {
	e := &Error{file: f.name, Problem: err.Error()}
	var known yaml.Error
	if !errors.As(err, &known) {
		return e
	}
	if e.Problem = known.GetMessage(); strings.Contains(e.Problem, "'\t'") {
		e.Problem = "a tab: indent with spaces, as YAML asks"
	}
	var mismatch *yaml.TypeError
	if errors.As(err, &mismatch) {
		e.Problem = fmt.Sprintf("not %s", wanted(mismatch.DstType))
	}
	var form *yaml.UnexpectedNodeTypeError
	if errors.As(err, &form) {
		e.Problem = map[ast.NodeType]string{ast.SequenceType: "not a list", ast.MappingType: "not a mapping"}[form.Expected]
		e.Problem = cmp.Or(e.Problem, form.GetMessage())
	}
	if at := known.GetToken(); at != nil && at.Position != nil {
		e.line, e.column = at.Position.Line, at.Position.Column
		e.Field = f.fieldAt(at.Position)
	}
	return e
}

// fieldAt returns the innermost field of a line that begins at or before the column.
func (f *File) fieldAt(p *token.Position) (field string) {
	column := 0
	for name, at := range f.places {
		if at.Line == p.Line && at.Column <= p.Column && (at.Column > column || at.Column == column && len(name) > len(field)) {
			field, column = name, at.Column
		}
	}
	return field
}
