package inspect

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// calls collects the places of calls in the package's code for which match
// returns a note.
func (p *Package) calls(match func(inspector.Cursor, *ast.CallExpr) (note string, ok bool)) []Place {
	var places []Place
	for c := range p.code.Preorder((*ast.CallExpr)(nil)) {
		if note, ok := match(c, c.Node().(*ast.CallExpr)); ok {
			places = append(places, p.place(c, note))
		}
	}
	return places
}

// callsOf collects the calls of named functions, noting which.
func (p *Package) callsOf(names ...string) []Place {
	return p.calls(func(_ inspector.Cursor, call *ast.CallExpr) (string, bool) {
		name := p.callee(call)
		return name, name != "" && slices.Contains(names, name)
	})
}

// constant says whether e's value is known when the package is compiled.
func (p *Package) constant(e ast.Expr) bool {
	return p.value(e) != nil
}

func (p *Package) value(e ast.Expr) constant.Value {
	if !p.Typed() {
		return nil
	}
	return p.main.info.Types[e].Value
}

// object returns what an identifier or selector uses or defines, or nil.
func (p *Package) object(e ast.Expr) types.Object {
	if !p.Typed() {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return p.main.info.ObjectOf(e)
	case *ast.SelectorExpr:
		return p.main.info.ObjectOf(e.Sel)
	}
	return nil
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return t != nil && types.Identical(t, errorType) }

// implementsError says whether a value of type t can be returned as an error.
func implementsError(t types.Type) bool {
	return t != nil && types.Implements(t, errorType.Underlying().(*types.Interface))
}

func isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

// isNamed says whether t, or what it points to, is the named type path.name.
func isNamed(t types.Type, path, name string) bool {
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	return named.Obj().Pkg().Path() == path && named.Obj().Name() == name
}

// statement says whether c's expression is a statement, its value unused.
func statement(c inspector.Cursor) bool { return c.ParentEdgeKind() == edge.ExprStmt_X }

// functionBody returns the innermost function around c.
func functionBody(c inspector.Cursor) *ast.BlockStmt {
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		switch n := f.Node().(type) {
		case *ast.FuncDecl:
			return n.Body
		case *ast.FuncLit:
			return n.Body
		}
	}
	return nil
}
