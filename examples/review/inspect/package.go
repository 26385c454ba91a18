package inspect

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// A Package is one loaded package with its tests. It never changes after
// [Load], so any number of agents may inspect it at the same time.
type Package struct {
	Name string // as in the package clause
	Path string // import path
	Dir  string // absolute; appears in no finding

	Files    []*File   // sorted by name, tests included
	Problems []Problem // why it does not compile; nil if it does

	// TestsTyped says that package and tests type-check, so that it is known
	// what the tests reach.
	TestsTyped bool

	// Ignored are Go files that are not built on this platform.
	Ignored []string
	// Gaps are what could not be looked at, in the order of inspectors.
	Gaps []Gap
	// Run is what running the tests showed; nil: they were not run.
	Run *TestRun

	fset    *token.FileSet
	main    unit // the package, with the tests in the package itself
	outside unit // the tests in package x_test
	code    inspector.Cursor
	funcs   []*function
	named   map[string]*function
	graph   func() *graph
	reports []diagnostic
}

// A File is one source file of a [Package].
type File struct {
	Name      string // relative to the package's directory
	Lines     int
	Test      bool // _test.go
	Generated bool // carries "Code generated … DO NOT EDIT."

	syntax *ast.File
}

// unit is a set of files that were type-checked together. Without types its
// info is empty, never nil, so that lookups answer "unknown".
type unit struct {
	pkg   *types.Package
	info  *types.Info
	sizes types.Sizes
	files []*ast.File
	mod   *packages.Module
}

func newUnit(pkg *packages.Package) unit {
	return unit{pkg.Types, pkg.TypesInfo, pkg.TypesSizes, pkg.Syntax, pkg.Module}
}

func (u unit) typed() bool { return u.pkg != nil }

// Typed says whether the package type-checks. If not, inspectors that need
// types are silent.
func (p *Package) Typed() bool { return p.main.typed() }

// Size says how large the package is, in words.
func (p *Package) Size() string {
	lines := 0
	for _, f := range p.Files {
		if !f.Test {
			lines += f.Lines
		}
	}
	return strings.Join([]string{
		count(len(p.syntax()), "file"), count(lines, "line"), count(len(p.functions()), "function"), count(p.Tests(), "test"),
	}, ", ")
}

// Main says whether the package is a program.
func (p *Package) Main() bool { return p.Name == "main" }

func (p *Package) identify(v variants) {
	if pkg := cmp.Or(v.plain, v.tested, v.outside); pkg != nil {
		p.Path = strings.TrimSuffix(pkg.PkgPath, "_test")
		p.Name = strings.TrimSuffix(pkg.Name, "_test")
	}
	if p.Name == "" && len(p.Files) > 0 {
		p.Name = strings.TrimSuffix(p.Files[0].syntax.Name.Name, "_test")
	}
	if p.main.info == nil {
		p.main.info = new(types.Info)
	}
}

// addFiles adds the files that no earlier variant had, and leaves out those
// that cgo wrote elsewhere.
func (p *Package) addFiles(pkg *packages.Package) {
	p.fset = pkg.Fset
	for _, syntax := range pkg.Syntax {
		file := p.fset.File(syntax.FileStart)
		name := relative(p.Dir, file.Name())
		if filepath.Dir(file.Name()) != p.Dir || p.file(name) != nil {
			continue
		}
		p.Files = append(p.Files, &File{
			Name:      name,
			Lines:     file.LineCount(),
			Test:      strings.HasSuffix(name, "_test.go"),
			Generated: ast.IsGenerated(syntax),
			syntax:    syntax,
		})
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

// index prepares what many inspectors share. The reference graph costs most
// and is made when first asked for.
func (p *Package) index() {
	slices.SortFunc(p.Files, func(a, b *File) int { return cmp.Compare(a.Name, b.Name) })
	p.code = inspector.New(p.syntax()).Root()
	p.indexFunctions()
	p.graph = sync.OnceValue(p.buildGraph)
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
func (p *Package) at(pos token.Pos) Position {
	if !pos.IsValid() {
		return Position{}
	}
	at := p.fset.PositionFor(pos, false)
	return Position{relative(p.Dir, at.Filename), at.Line}
}

// place is the position of c's node with the name of the function around it.
func (p *Package) place(c inspector.Cursor, note string) Place {
	return Place{p.at(c.Node().Pos()), p.around(c), note}
}

// around names the declared function that c lies in, if any.
func (p *Package) around(c inspector.Cursor) string {
	for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
		return functionName(f.Node().(*ast.FuncDecl))
	}
	return ""
}
