package inspect

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// reach returns the functions that tests mention, directly or through other
// declarations, each with the nearest test. Names stand for what they name, and
// mentioning for calling: both err towards "reached", so that "no test reaches
// this" is a claim one can stand by.
func (p *Package) reach() map[string]string {
	mentions := map[string][]string{}
	origin := map[string]string{}
	var queue []string
	visit := func(name, test string) {
		if origin[name] == "" {
			origin[name] = test
			queue = append(queue, name)
		}
	}
	called := p.calledByInterfaces()
	for _, f := range p.funcs {
		name := f.decl.Name.Name
		mentions[name] = append(mentions[name], identifiers(f.decl)...)
		if recv, method, ok := strings.Cut(f.name, "."); ok && (called[method] || f.file.Test) {
			mentions[recv] = append(mentions[recv], method)
		}
		if isTest(f) || f.file.Test && name == "init" {
			visit(name, fmt.Sprintf("%s at %s", name, p.at(f.decl.Pos()).At()))
		}
	}
	for _, f := range p.Files {
		for spec := range ast.Preorder(f.syntax) {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				mentions[s.Name.Name] = append(mentions[s.Name.Name], identifiers(s)...)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					mentions[id.Name] = append(mentions[id.Name], identifiers(s)...)
				}
			}
		}
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, mentioned := range mentions[name] {
			visit(mentioned, origin[name])
		}
	}
	return origin
}

func identifiers(n ast.Node) (all []string) {
	for n := range ast.Preorder(n) {
		if id, ok := n.(*ast.Ident); ok {
			all = append(all, id.Name)
		}
	}
	return all
}

// calledByInterfaces returns the names of all methods of interfaces of the packages
// that the package imports, and those the standard library looks for without
// declaring an interface.
func (p *Package) calledByInterfaces() map[string]bool {
	names := map[string]bool{"Is": true, "As": true, "Unwrap": true, "Error": true}
	if p.main == nil {
		return names
	}
	for _, pkg := range p.main.Types.Imports() {
		for _, name := range pkg.Scope().Names() {
			if i, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Interface); ok {
				for m := range i.Methods() {
					names[m.Name()] = true
				}
			}
		}
	}
	return names
}

// isTest says whether go test runs f to check something. Benchmarks measure, so
// what only they reach counts as untested; it is the same everywhere.
func isTest(f *function) bool {
	test := strings.HasPrefix(f.name, "Test") || strings.HasPrefix(f.name, "Example") || strings.HasPrefix(f.name, "Fuzz")
	return test && f.file.Test && f.decl.Recv == nil
}

// Tests counts tests, fuzz tests and examples.
func (p *Package) Tests() int {
	n := 0
	for _, f := range p.funcs {
		if isTest(f) && f.name != "TestMain" {
			n++
		}
	}
	return n
}
