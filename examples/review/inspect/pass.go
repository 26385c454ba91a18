package inspect

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"honnef.co/go/tools/analysis/facts/purity"
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
	analyzer *analysis.Analyzer
	analysis.Diagnostic
}

type factKey struct {
	about any // types.Object or *types.Package
	kind  reflect.Type
}

// runPasses returns all diagnostics, and why analyzers failed. One that fails
// or panics reports nothing: it harms neither the others nor the review. When
// ctx ends, the rest is left out.
func runPasses(ctx context.Context, p *Package, analyzers ...*analysis.Analyzer) ([]diagnostic, map[*analysis.Analyzer]error) {
	d := &driver{p: p, facts: make(map[factKey]analysis.Fact)}
	failed := make(map[*analysis.Analyzer]error)
	for _, u := range []unit{p.main, p.outside} {
		if !u.typed() {
			continue
		}
		results := make(map[*analysis.Analyzer]*outcome)
		for _, a := range analyzers {
			if ctx.Err() != nil {
				return nil, nil
			}
			if o := d.run(a, u, results); o.err != nil {
				failed[a] = o.err
			}
		}
	}
	return d.diagnostics, failed
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
			d.diagnostics = append(d.diagnostics, diagnostic{a, report})
		},
		ImportObjectFact: func(o types.Object, f analysis.Fact) bool {
			return d.load(o, f) || a == ctrlflow.Analyzer && neverReturns(o) || a == purity.Analyzer && pure(o)
		},
		ExportObjectFact:  func(o types.Object, f analysis.Fact) { d.store(o, f) },
		ImportPackageFact: func(pkg *types.Package, f analysis.Fact) bool { return d.load(pkg, f) },
		ExportPackageFact: func(f analysis.Fact) { d.store(u.pkg, f) },
		AllObjectFacts:    func() []analysis.ObjectFact { return d.objectFacts(a, u) },
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

// objectFacts returns the facts of an analyzer about objects of the package, and
// which functions of the standard library it uses are pure.
func (d *driver) objectFacts(a *analysis.Analyzer, u unit) []analysis.ObjectFact {
	var all []analysis.ObjectFact
	for key, fact := range d.facts {
		if o, ok := key.about.(types.Object); ok && slices.ContainsFunc(a.FactTypes, func(f analysis.Fact) bool { return reflect.TypeOf(f) == key.kind }) {
			all = append(all, analysis.ObjectFact{Object: o, Fact: fact})
		}
	}
	if a == purity.Analyzer {
		for _, o := range u.info.Uses {
			if pure(o) {
				all = append(all, analysis.ObjectFact{Object: o, Fact: new(purity.IsPure)})
			}
		}
	}
	return all
}

// pure stands in for facts likewise: it knows packages whose functions do nothing
// but return something, unless they call what they are handed or write to it.
func pure(o types.Object) bool {
	fn, ok := o.(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil || !slices.Contains(purePackages, fn.Pkg().Path()) {
		return false
	}
	for v := range fn.Signature().Params().Variables() {
		switch t := v.Type().Underlying().(type) {
		case *types.Signature:
			return false
		case *types.Slice:
			if types.Identical(t.Elem(), types.Typ[types.Byte]) {
				return false
			}
		}
	}
	return true
}

var purePackages = []string{"strings", "strconv", "math", "math/bits", "path", "unicode", "unicode/utf8"}

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
