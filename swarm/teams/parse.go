package teams

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// An Error says what is wrong with a team, and where.
type Error struct {
	File         string // "": the team is not from a file
	Line, Column int    // from 1; 0: unknown
	Field        string // such as agents[1].model; "": the whole team
	Problem      string
}

func (e *Error) Error() string {
	text := e.Problem
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	switch {
	case e.File == "":
		return "teams: " + text
	case e.Line == 0:
		return e.File + ": " + text
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, text)
}

// mostBytes is the most bytes of a file.
const mostBytes = 1 << 20

// Load returns the ready-made team with a name, or else the team in a file: see [Parse].
func Load(nameOrFile string, changes ...func(*Team)) (*Team, error) {
	if text, ok := Ready(nameOrFile); ok {
		return Parse(nameOrFile, []byte(text), changes...)
	}
	text, err := readFile(nameOrFile)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(nameOrFile, "./\\") {
		err = fmt.Errorf("no ready-made team is called %q (there are %s), and there is no such file", nameOrFile, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("teams: %w", err)
	}
	return Parse(nameOrFile, text, changes...)
}

// readFile reads a file as far as [Parse] needs to know that it is too large.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, mostBytes+1))
}

// Parse returns the team that a YAML text describes, with changes that are made before it
// is validated. Errors are of type [*Error], joined, in the order of the file, whose name is
// only for them.
func Parse(file string, text []byte, changes ...func(*Team)) (*Team, error) {
	r := &reader{file: file, places: map[string]*token.Position{}}
	t, err := r.read(text)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		change(t)
	}
	for _, e := range t.problems() {
		r.add(e.Field, r.placeOf(e.Field), e.Problem)
	}
	return t, r.err()
}

// A reader reads a file.
type reader struct {
	file   string
	places map[string]*token.Position // of fields
	faults []*Error
}

func (r *reader) add(field string, at *token.Position, problem string) {
	e := &Error{File: r.file, Field: field, Problem: problem}
	if at != nil {
		e.Line, e.Column = at.Line, at.Column
	}
	r.faults = append(r.faults, e)
}

// err returns the faults in the order of the file.
func (r *reader) err() error {
	slices.SortStableFunc(r.faults, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var all []error
	for _, e := range r.faults {
		all = append(all, e)
	}
	return errors.Join(all...)
}

// placeOf returns the place of a field, or of the nearest around it that the file has.
func (r *reader) placeOf(field string) *token.Position {
	for field != "" && r.places[field] == nil {
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return r.places[field]
}

// read decodes a text whose keys are those of a team, and which has no secrets.
func (r *reader) read(text []byte) (*Team, error) {
	if len(text) > mostBytes {
		return nil, &Error{File: r.file, Problem: fmt.Sprintf("more than %d bytes", mostBytes)}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // with which some editors begin a file
	if r.findSecrets(text); r.faults != nil {
		return nil, r.err()
	}
	root, err := r.root(text)
	if err != nil {
		return nil, err
	}
	if r.check(root); r.faults != nil {
		return nil, r.err()
	}
	t := new(Team)
	if err := yaml.NodeToValue(root, t); err != nil {
		return nil, r.fault(err)
	}
	return t, nil
}

// root returns the mapping that the text is.
func (r *reader) root(text []byte) (*ast.MappingNode, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, r.fault(err)
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
	return nil, &Error{File: r.file, Problem: "not one YAML document with the fields of a team"}
}

// fault returns an error of the YAML library with its place.
func (r *reader) fault(err error) error {
	e := &Error{File: r.file, Problem: err.Error()}
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
	if at := known.GetToken(); at != nil && at.Position != nil {
		e.Line, e.Column = at.Position.Line, at.Position.Column
		e.Field = r.fieldAt(at.Position)
	}
	return e
}

// fieldAt returns the innermost field of a line that begins at or before the column.
func (r *reader) fieldAt(p *token.Position) (field string) {
	column := 0
	for name, at := range r.places {
		if at.Line == p.Line && at.Column <= p.Column && (at.Column > column || at.Column == column && len(name) > len(field)) {
			field, column = name, at.Column
		}
	}
	return field
}
