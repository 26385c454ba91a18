package inspect

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// function is a declared function or method, of the package or of its tests.
type function struct {
	name string // "Publish" or "Bus.Publish"
	decl *ast.FuncDecl
	file *File
}

func (p *Package) indexFunctions() {
	p.named = make(map[string]*function)
	for _, file := range p.Files {
		for _, d := range file.syntax.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			f := &function{functionName(decl), decl, file}
			p.funcs = append(p.funcs, f)
			// Tests outside the package may declare the same name; the package's wins.
			if old := p.named[f.name]; old == nil || old.file.Test && !file.Test {
				p.named[f.name] = f
			}
		}
	}
}

// functions returns those of the package, not of its tests.
func (p *Package) functions() []*function {
	return slices.DeleteFunc(slices.Clone(p.funcs), func(f *function) bool { return f.file.Test })
}

// functionName names the receiver's type without pointer and type parameters.
func functionName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	return identifiers(decl.Recv.List[0].Type)[0] + "." + decl.Name.Name
}

// calls collects the places of calls in the package's code for which match
// returns a note. What is called is named as in "os.Exit" or
// "(*database/sql.Tx).Commit", and "" for function values and conversions.
func (p *Package) calls(match func(c inspector.Cursor, call *ast.CallExpr, callee string) (note string)) []Place {
	var places []Place
	for c := range p.code.Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		callee := ""
		switch fn := typeutil.Callee(p.info, call).(type) {
		case *types.Func:
			callee = fn.Origin().FullName()
		case *types.Builtin:
			callee = fn.Name()
		}
		if note := match(c, call, callee); note != "" {
			places = append(places, p.seen(call.Pos(), note))
		}
	}
	return places
}

// ignored says whether nobody looks at what the call at c returns.
func ignored(c inspector.Cursor) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	return c.ParentEdgeKind() == edge.ExprStmt_X ||
		ok && len(assign.Rhs) == 1 && !slices.ContainsFunc(assign.Lhs, func(e ast.Expr) bool { return !named(e, "_") })
}

func named(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == name
}

var errorType = types.Universe.Lookup("error").Type()

// isError says whether e is a type, or of a type, that is error.
func (p *Package) isError(e ast.Expr) bool {
	t := p.info.TypeOf(e)
	return t != nil && types.Identical(t, errorType)
}

// returnsError says whether the last result of a function is an error.
func (p *Package) returnsError(t *ast.FuncType) bool {
	return t.Results.NumFields() > 0 && p.isError(t.Results.List[len(t.Results.List)-1].Type)
}
