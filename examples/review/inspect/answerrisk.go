package inspect

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// answerGuarded looks for the condition that a panic depends on: one on
// the function's own parameters or receiver, or the default of a switch.
func (p *Package) answerGuarded(at Place) (string, Place, bool) {
	c, ok := p.callAt(at)
	if !ok {
		return "", Place{}, false
	}
	for g := range c.Enclosing((*ast.IfStmt)(nil), (*ast.CaseClause)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		where := Place{p.at(g.Node().Pos()), at.Name, ""}
		switch n := g.Node().(type) {
		case *ast.IfStmt:
			if !p.mentionsParameter(n.Cond) {
				return "", Place{}, false
			}
			return fmt.Sprintf("%s at %s guards against misuse: if %s", at.Name, where.Position, types.ExprString(n.Cond)), where, true
		case *ast.CaseClause:
			return fmt.Sprintf("only the default case at %s gets there", where.Position), where, n.List == nil
		default:
			return "", Place{}, false
		}
	}
	return "", Place{}, false
}

func (p *Package) mentionsParameter(cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, _ := p.object(id).(*types.Var)
			found = found || v != nil && (v.Kind() == types.ParamVar || v.Kind() == types.RecvVar)
		}
		return !found
	})
	return found
}

// callAt finds the call that a finding's place stands for.
func (p *Package) callAt(at Place) (inspector.Cursor, bool) {
	for c := range p.code.Preorder((*ast.CallExpr)(nil)) {
		name := types.ExprString(c.Node().(*ast.CallExpr).Fun)
		if p.at(c.Node().Pos()) == at.Position && (strings.HasSuffix(at.Note, name) || strings.Contains(name, "Fatal")) {
			return c, true
		}
	}
	return p.code, false
}

// answerCouldReturn points out that a function that panics or exits has an error
// to return.
func (p *Package) answerCouldReturn(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil || f.obj == nil {
		return "", Place{}, false
	}
	results := f.obj.Signature().Results()
	could := results.Len() > 0 && isError(results.At(results.Len()-1).Type())
	return fmt.Sprintf("%s at %s returns an error and could return this as one", f.name, p.at(f.decl.Pos())), p.functionPlace(f, ""), could
}

// answerOwnSentinel looks for a sentinel of the package that the package never
// wraps: whoever gets it from here gets it bare.
func (p *Package) answerOwnSentinel(at Place) (string, Place, bool) {
	for c := range p.code.Preorder((*ast.BinaryExpr)(nil)) {
		n := c.Node().(*ast.BinaryExpr)
		if p.at(n.Pos()) != at.Position || types.ExprString(n) != at.Note {
			continue
		}
		for _, side := range []ast.Expr{n.X, n.Y} {
			if v := p.global(side); v != nil && !p.wraps(v) {
				where := Place{p.at(v.Pos()), v.Name(), ""}
				return fmt.Sprintf("%s at %s is never wrapped in this package", v.Name(), where.Position), where, true
			}
		}
	}
	return "", Place{}, false
}

// wraps says whether v is ever handed to fmt.Errorf.
func (p *Package) wraps(v *types.Var) bool {
	for c := range p.code.Preorder((*ast.CallExpr)(nil)) {
		for _, arg := range c.Node().(*ast.CallExpr).Args {
			if p.global(arg) == v && p.callee(c.Node().(*ast.CallExpr)) == "fmt.Errorf" {
				return true
			}
		}
	}
	return false
}

// answerUnderLock looks for a lock taken earlier in the function that changes a
// global.
func (p *Package) answerUnderLock(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil || f.decl.Body == nil {
		return "", Place{}, false
	}
	var where Place
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.at(n.Pos()).Line < at.Line {
			if lock, method := p.lockMethod(call); method == "Lock" {
				where = Place{p.at(n.Pos()), f.name, lock}
			}
		}
		return true
	})
	return fmt.Sprintf("%s takes %s at %s before it", f.name, where.Note, where.Position), where, where.Line > 0
}

// answerConcurrent points out that the package runs code concurrently while it
// changes a global.
func (p *Package) answerConcurrent(at Place) (string, Place, bool) {
	if _, _, locked := p.answerUnderLock(at); locked {
		return "", Place{}, false
	}
	for c := range p.code.Preorder((*ast.GoStmt)(nil)) {
		where := p.place(c, "")
		return fmt.Sprintf("the package starts goroutines, as at %s, and %s takes no lock", where.Position, at.Name), where, true
	}
	return "", Place{}, false
}

func (p *Package) answerGenerated(at Place) (string, Place, bool) {
	f := p.file(at.File)
	return at.File + " is generated: the generator is what to change", Place{Position: Position{at.File, 1}}, f != nil && f.Generated
}

func (p *Package) answerInProgram(at Place) (string, Place, bool) {
	return "package main has no importer that it could surprise", at, p.Main()
}
