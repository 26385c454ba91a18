package inspect

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
)

// driver runs analyzers of go/analysis over one package and its outside tests,
// with each one's Requires before it. Facts travel from the package to its
// tests; dependencies come from export data and have none.
type driver struct {
	p     *Package
	facts map[factKey]analysis.Fact

	diagnostics []diagnostic
}

type diagnostic struct {
	analyzer string
	analysis.Diagnostic
}

type factKey struct {
	about any // types.Object or *types.Package
	kind  reflect.Type
}

// runPasses returns all diagnostics. An analyzer that fails or panics reports
// nothing: it harms neither the others nor the review.
func runPasses(p *Package, analyzers ...*analysis.Analyzer) []diagnostic {
	d := &driver{p: p, facts: make(map[factKey]analysis.Fact)}
	for _, u := range []unit{p.main, p.outside} {
		if !u.typed() {
			continue
		}
		results := make(map[*analysis.Analyzer]*outcome)
		for _, a := range analyzers {
			d.run(a, u, results)
		}
	}
	return d.diagnostics
}

// outcome is what one analyzer returned for one unit.
type outcome struct {
	value any
	err   error
}

var errRequires = errors.New("a required analyzer failed")

func (d *driver) run(a *analysis.Analyzer, u unit, results map[*analysis.Analyzer]*outcome) *outcome {
	if o := results[a]; o != nil {
		return o
	}
	o := new(outcome)
	results[a] = o
	pass := d.pass(a, u)
	for _, need := range a.Requires {
		r := d.run(need, u, results)
		if r.err != nil {
			o.err = errRequires
			return o
		}
		pass.ResultOf[need] = r.value
	}
	before := len(d.diagnostics)
	if o.value, o.err = safely(a, pass); o.err != nil {
		d.diagnostics = d.diagnostics[:before]
	}
	return o
}

func safely(a *analysis.Analyzer, pass *analysis.Pass) (value any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("analyzer %s panicked: %v", a.Name, r)
		}
	}()
	return a.Run(pass)
}

func (d *driver) pass(a *analysis.Analyzer, u unit) *analysis.Pass {
	return &analysis.Pass{
		Analyzer:   a,
		Fset:       d.p.fset,
		Files:      u.files,
		Pkg:        u.pkg,
		TypesInfo:  u.info,
		TypesSizes: u.sizes,
		Module:     moduleOf(u),
		ResultOf:   make(map[*analysis.Analyzer]any),
		ReadFile:   os.ReadFile,
		Report: func(report analysis.Diagnostic) {
			d.diagnostics = append(d.diagnostics, diagnostic{a.Name, report})
		},
		ImportObjectFact: func(o types.Object, f analysis.Fact) bool {
			return d.load(o, f) || a == ctrlflow.Analyzer && neverReturns(o)
		},
		ExportObjectFact:  func(o types.Object, f analysis.Fact) { d.store(o, f) },
		ImportPackageFact: func(pkg *types.Package, f analysis.Fact) bool { return d.load(pkg, f) },
		ExportPackageFact: func(f analysis.Fact) { d.store(u.pkg, f) },
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
}

func moduleOf(u unit) *analysis.Module {
	if u.mod == nil {
		return nil
	}
	return &analysis.Module{Path: u.mod.Path, Version: u.mod.Version, GoVersion: u.mod.GoVersion}
}

func (d *driver) store(about any, f analysis.Fact) {
	d.facts[factKey{about, reflect.TypeOf(f)}] = f
}

// load copies a stored fact into f.
func (d *driver) load(about any, f analysis.Fact) bool {
	stored, ok := d.facts[factKey{about, reflect.TypeOf(f)}]
	if ok {
		reflect.ValueOf(f).Elem().Set(reflect.ValueOf(stored).Elem())
	}
	return ok
}

// neverReturns stands in for the facts that an analysis of the standard library
// would export. Without it a path through log.Fatal looks as if it went on.
func neverReturns(o types.Object) bool {
	fn, ok := o.(*types.Func)
	if !ok {
		return false
	}
	switch fn.FullName() {
	case "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln",
		"(*log.Logger).Fatal", "(*log.Logger).Fatalf", "(*log.Logger).Fatalln",
		"(*testing.common).FailNow", "(*testing.common).Fatal", "(*testing.common).Fatalf",
		"(*testing.common).Skip", "(*testing.common).Skipf", "(*testing.common).SkipNow":
		return true
	}
	return false
}
