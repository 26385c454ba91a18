package inspect

import (
	"go/ast"
	"go/types"
)

// graph says which package-level declarations mention which others. Mentioning
// is taken for calling: it errs towards "reached", so that "no test reaches
// this" is a claim one can stand by.
type graph struct {
	p     *Package
	edges map[types.Object][]types.Object

	tests   []types.Object // declared in test files, in order
	testFor map[types.Object]types.Object
}

func (p *Package) buildGraph() *graph {
	g := &graph{p: p, edges: make(map[types.Object][]types.Object)}
	if !p.Typed() {
		return g
	}
	for _, f := range p.Files {
		g.addFile(f)
	}
	g.addInterfaces()
	g.testFor = g.reach(g.tests)
	return g
}

func (g *graph) addFile(f *File) {
	for _, decl := range f.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			g.addDecl(f, g.def(d.Name), d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				g.addSpec(f, spec)
			}
		}
	}
}

func (g *graph) addSpec(f *File, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		g.addDecl(f, g.def(s.Name), s)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			g.addDecl(f, g.def(name), s)
		}
	}
}

// addDecl records what node mentions. A declaration without an object is no
// object cannot be mentioned.
func (g *graph) addDecl(f *File, from types.Object, node ast.Node) {
	if from == nil {
		return
	}
	switch fd, _ := node.(*ast.FuncDecl); {
	case fd != nil && f.Test && fd.Recv != nil:
		g.addTestMethod(from)
	case f.Test && (testName(from.Name()) || alwaysRun(from)):
		g.tests = append(g.tests, from)
	}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			g.addUse(from, g.use(id))
		}
		return true
	})
}

// addTestMethod lets a type of the tests mention its methods, which a suite may
// run by reflection.
func (g *graph) addTestMethod(method types.Object) {
	fn, ok := method.(*types.Func)
	if !ok {
		return
	}
	recv := fn.Signature().Recv().Type()
	if ptr, ok := recv.(*types.Pointer); ok {
		recv = ptr.Elem()
	}
	if named, ok := recv.(*types.Named); ok {
		tn := named.Origin().Obj()
		g.edges[tn] = append(g.edges[tn], method)
	}
}

// alwaysRun says whether an object's initial code runs without being named.
func alwaysRun(o types.Object) bool { return o.Name() == "init" || o.Name() == "_" }

func (g *graph) def(id *ast.Ident) types.Object {
	if o := g.p.main.info.Defs[id]; o != nil {
		return o
	}
	if g.p.outside.typed() {
		return g.p.outside.info.Defs[id]
	}
	return nil
}

func (g *graph) use(id *ast.Ident) types.Object {
	if o := g.p.main.info.Uses[id]; o != nil {
		return o
	}
	if g.p.outside.typed() {
		return g.p.outside.info.Uses[id]
	}
	return nil
}

// addUse keeps package-level objects and methods of package and tests.
func (g *graph) addUse(from, to types.Object) {
	if to == nil || to.Pkg() == nil || to.Pkg() != g.p.main.pkg && to.Pkg() != g.p.outside.pkg {
		return
	}
	switch o := to.(type) {
	case *types.Func:
		to = o.Origin()
	case *types.Var:
		if o.IsField() {
			return
		}
	}
	if _, method := to.(*types.Func); method || to.Parent() == to.Pkg().Scope() {
		g.edges[from] = append(g.edges[from], to)
	}
}

// reach returns what can be reached from roots, each with the root nearest to
// it; among equally near ones the first.
func (g *graph) reach(roots []types.Object) map[types.Object]types.Object {
	origin := make(map[types.Object]types.Object)
	queue := make([]types.Object, 0, len(roots))
	for _, r := range roots {
		if origin[r] == nil {
			origin[r] = r
			queue = append(queue, r)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, to := range g.edges[queue[i]] {
			if origin[to] == nil {
				origin[to] = origin[queue[i]]
				queue = append(queue, to)
			}
		}
	}
	return origin
}

// testOf names the nearest test declaration that reaches f.
func (g *graph) testOf(f *function) (Place, bool) {
	if f.obj == nil {
		return Place{}, false
	}
	test, ok := g.testFor[f.obj]
	if !ok {
		return Place{}, false
	}
	return Place{Position: g.p.at(test.Pos()), Name: test.Name()}, true
}
