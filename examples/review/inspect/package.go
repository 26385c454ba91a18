package inspect

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// A Package is one loaded package with its tests. It never changes after
// [Load], so any number of agents may inspect it at the same time.
type Package struct {
	Name string // as in the package clause
	Path string // import path
	dir  string // absolute; appears in no finding

	Files    []*File // sorted by name, tests included
	Problems []Place // why it does not compile; nil if it does

	// TestsTyped says that package and tests type-check, so that it is known
	// what the tests reach.
	TestsTyped bool

	// Ignored are Go files that are not built on this platform.
	ignored []string
	// Gaps are what could not be looked at, in the order of inspectors.
	Gaps []Gap
	// Run is what running the tests showed; nil: they were not run.
	Run *testRun

	complaint     string            // why it cannot be reviewed
	main, outside *packages.Package // with the tests in the package itself, and those in package x_test; nil: not typed
	info          *types.Info       // of main; empty without types, so that lookups answer "unknown"
	fset          *token.FileSet
	code          inspector.Cursor
	funcs         []*function
	named         map[string]*function
	tested        map[string]string // functions to tests that reach them
	tools         []string          // that were asked to look, too
	ran           map[string]int    // by inspector: how many analyzers looked
	reports       []report
	failures      []failure
}

// A File is one source file of a [Package].
type File struct {
	Name      string // relative to the package's directory
	Test      bool   // _test.go
	Generated bool   // carries "Code generated … DO NOT EDIT."

	syntax *ast.File
}

// newPackage makes one package of the variants that the go command lists: the
// package alone, with its own test files, and the tests in package x_test. Of the
// first two it prefers the one with tests. Tests that do not compile cost only the
// tests their types.
func newPackage(dir string, listed []*packages.Package) *Package {
	p := &Package{dir: dir, ran: map[string]int{}, info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}}
	variants := slices.DeleteFunc(listed, func(pkg *packages.Package) bool { return strings.HasSuffix(pkg.ID, ".test") })
	slices.SortFunc(variants, func(a, b *packages.Package) int { return cmp.Compare(a.ID, b.ID) })
	p.TestsTyped = true
	for _, pkg := range variants {
		p.addFiles(pkg)
		if pkg.ForTest == "" {
			p.Name, p.Path, p.ignored, p.complaint = pkg.Name, pkg.PkgPath, pkg.IgnoredFiles, missing(pkg)
		}
		switch {
		case !sound(pkg):
			p.TestsTyped = p.TestsTyped && pkg.ForTest == ""
		case strings.HasSuffix(pkg.Name, "_test"):
			p.outside = pkg
		case len(pkg.Syntax) > 0:
			p.main, p.info = pkg, pkg.TypesInfo
		}
	}
	p.Problems = problems(dir, variants)
	if len(p.Files) == 0 && len(p.Problems) > 0 {
		p.complaint = p.Problems[0].Note
	}
	if p.main == nil {
		p.outside, p.TestsTyped = nil, false
	}
	slices.SortFunc(p.Files, func(a, b *File) int { return cmp.Compare(a.Name, b.Name) })
	p.code = inspector.New(p.syntax()).Root()
	p.indexFunctions()
	p.tested = p.reach()
	return p
}

func sound(pkg *packages.Package) bool {
	return len(pkg.Errors) == 0 && !pkg.IllTyped && pkg.Types != nil
}

// Typed says whether the package type-checks. If not, inspectors that need
// types are silent.
func (p *Package) Typed() bool { return p.main != nil }

// Size says how large the package is, in words.
func (p *Package) Size() string {
	return strings.Join([]string{count(len(p.syntax()), "file"), count(len(p.functions()), "function"), count(p.Tests(), "test")}, ", ")
}

// addFiles adds the files that no earlier variant had, and leaves out those
// that cgo wrote elsewhere.
func (p *Package) addFiles(pkg *packages.Package) {
	p.fset = pkg.Fset
	for _, syntax := range pkg.Syntax {
		path := p.fset.File(syntax.FileStart).Name()
		name := relative(p.dir, path)
		if filepath.Dir(path) == p.dir && p.file(name) == nil {
			p.Files = append(p.Files, &File{name, strings.HasSuffix(name, "_test.go"), ast.IsGenerated(syntax), syntax})
		}
	}
}

func (p *Package) file(name string) *File {
	for _, f := range p.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// syntax returns the files outside the tests.
func (p *Package) syntax() []*ast.File {
	var files []*ast.File
	for _, f := range p.Files {
		if !f.Test {
			files = append(files, f.syntax)
		}
	}
	return files
}

// at ignores //line directives: evidence names lines a reader can open.
func (p *Package) at(pos token.Pos) Place {
	if !pos.IsValid() {
		return Place{}
	}
	at := p.fset.PositionFor(pos, false)
	return Place{File: relative(p.dir, at.Filename), Line: at.Line}
}

// seen is a place with the function around it, and what was seen there.
func (p *Package) seen(pos token.Pos, note string) Place {
	at := p.at(pos)
	for _, f := range p.funcs {
		if f.file.Name == at.File && f.decl.Pos() <= pos && pos <= f.decl.End() {
			at.Name = f.name
		}
	}
	at.Note = note
	return at
}
