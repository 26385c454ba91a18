package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/cover"
)

const module = "github.com/swarmbus/swarmbus/"

// coverCases adds to a cover profile what no block of the cover tool holds,
// so that mutants there are tested: the conditions of cases, which count as run
// when the switch is, and the values of constants and variables of the package.
func coverCases(tree, name string) error {
	profiles, err := cover.ParseProfiles(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out := bytes.NewBuffer(text)
	for _, p := range profiles {
		file := filepath.Join(tree, strings.TrimPrefix(p.FileName, module))
		if err := addCases(out, p, file); err != nil {
			return err
		}
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}

func addCases(out *bytes.Buffer, p *cover.Profile, file string) error {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		return err
	}
	add := func(n ast.Node) {
		from, to := set.Position(n.Pos()), set.Position(n.End())
		fmt.Fprintf(out, "%s:%d.%d,%d.%d 1 1\n", p.FileName, from.Line, from.Column, to.Line, to.Column)
	}
	for _, d := range parsed.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			add(d)
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SwitchStmt); ok && runs(p, set.Position(s.Pos())) {
			for _, clause := range s.Body.List {
				for _, condition := range clause.(*ast.CaseClause).List {
					add(condition)
				}
			}
		}
		return true
	})
	return nil
}

// runs reports whether a test runs what is at the position.
func runs(p *cover.Profile, at token.Position) bool {
	for _, b := range p.Blocks {
		after := at.Line > b.StartLine || at.Line == b.StartLine && at.Column >= b.StartCol
		before := at.Line < b.EndLine || at.Line == b.EndLine && at.Column <= b.EndCol
		if b.Count > 0 && after && before {
			return true
		}
	}
	return false
}
