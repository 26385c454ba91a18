package inspect

import (
	"go/ast"
	"strings"
)

var (
	noTests   = rule{"no-tests", Tests, High, 0.95, 8}
	untested  = rule{"untested", Tests, Medium, 0.85, 8}
	idleTest  = rule{"idle-test", Tests, Low, 0.6, 4}
	noExample = rule{"no-example", Tests, Low, 0.7, 4}
)

// missingTests speaks when there is code and not one test. The more functions,
// the worse.
func missingTests(p *Package) []Finding {
	code := p.functions()
	if len(code) == 0 || p.testCount() > 0 {
		return nil
	}
	f := noTests.finding([]Place{{Name: p.Name}}, noTests.spread(len(code), 0),
		"no test, fuzz test or example for "+count(len(code), "function"))
	return []Finding{f}
}

func (p *Package) testCount() int {
	n := 0
	for _, f := range p.funcs {
		if isTest(f) && f.name != "TestMain" {
			n++
		}
	}
	return n
}

// unreachedFunctions lists what callers can call and no test reaches, not even
// through other functions. Without types it cannot know.
func unreachedFunctions(p *Package) []Finding {
	if !p.TestsTyped || p.testCount() == 0 {
		return nil
	}
	candidates := p.testable()
	var places []Place
	for _, f := range candidates {
		if _, ok := p.graph().testOf(f); !ok {
			places = append(places, p.functionPlace(f, ""))
		}
	}
	return untested.over(places, len(candidates), share(len(places), len(candidates), "function")+" not reached by any test")
}

// testable returns the functions a test should reach: the exported ones, or in
// a program all but main and init.
func (p *Package) testable() []*function {
	if !p.Main() {
		return p.exported()
	}
	var all []*function
	for _, f := range p.functions() {
		if f.name != "main" && f.name != "init" {
			all = append(all, f)
		}
	}
	return all
}

// idleTests lists tests that cannot fail but by a panic: they never touch their
// *testing.T or *testing.F.
func idleTests(p *Package) []Finding {
	var places []Place
	total := 0
	for _, f := range p.funcs {
		if !isTest(f) || f.name == "TestMain" || !strings.HasPrefix(f.name, "Test") {
			continue
		}
		total++
		if !usesFirstParameter(f.decl) {
			places = append(places, p.functionPlace(f, ""))
		}
	}
	return idleTest.over(places, total, share(len(places), total, "test")+" checking nothing")
}

func usesFirstParameter(decl *ast.FuncDecl) bool {
	if decl.Body == nil || len(decl.Type.Params.List) == 0 || len(decl.Type.Params.List[0].Names) == 0 {
		return false
	}
	name := decl.Type.Params.List[0].Names[0].Name
	used := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		used = used || ok && id.Name == name
		return !used
	})
	return used
}

// missingExamples asks for one example of a package that others can import.
func missingExamples(p *Package) []Finding {
	if p.Main() || p.Internal() || len(p.exported()) == 0 {
		return nil
	}
	for _, f := range p.funcs {
		if isTest(f) && strings.HasPrefix(f.name, "Example") {
			return nil
		}
	}
	n := len(p.exported())
	f := noExample.finding([]Place{{Name: p.Name}}, noExample.spread(n, 0), "no example shows how to use "+count(n, "exported function"))
	return []Finding{f}
}
