package inspect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

func TestCognitiveComplexity(t *testing.T) {
	for _, test := range []struct {
		body          string
		want, nesting int
	}{
		{``, 0, 0},
		{`return`, 0, 0},
		{`if a { b() }`, 1, 1},
		{`if a { b() } else { c() }`, 2, 1},
		{`if a { b() } else if c { d() } else { e() }`, 3, 1},
		{`if a { if b { if c { d() } } }`, 1 + 2 + 3, 3},
		{`if a && b && c { d() }`, 1 + 1, 1},
		{`if a && b || c { d() }`, 1 + 2, 1},
		{`x := a == b && (c || d)`, 2, 0},
		{`switch a { case 1: b(); case 2: c(); default: d() }`, 1, 1},
		{`for range a { switch { case b: if c { d() } } }`, 1 + 2 + 3, 3},
		{`l: for { for { continue l } }`, 1 + 2 + 1, 2},
		{`f(func() { if a { b() } })`, 2, 2},
		{`if x := func() bool { return a && b }; x() { c() }`, 2, 1},
		{`select { case <-a: default: }`, 1, 1},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nfunc f() {"+test.body+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		decl := file.Decls[0].(*ast.FuncDecl)
		if got, deep := cognitive(decl), nesting(decl); got != test.want || deep != test.nesting {
			t.Errorf("%s: got %d, %d deep, want %d, %d deep", test.body, got, deep, test.want, test.nesting)
		}
	}
}
