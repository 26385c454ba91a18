package inspect

import (
	"go/ast"
	"go/token"
	"go/types"
)

// abandonedSends lists goroutines that send their result on an unbuffered
// channel whose reader may leave first, by another case of its select: the
// goroutine then waits for ever.
func abandonedSends(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.GoStmt)(nil)) {
		lit, ok := ast.Unparen(c.Node().(*ast.GoStmt).Call.Fun).(*ast.FuncLit)
		if !ok {
			continue
		}
		body := functionBody(c)
		if ch := p.bareSend(lit); ch != nil && body != nil && p.unbuffered(body, ch) && p.readerMayLeave(body, lit, ch) {
			places = append(places, p.place(c, "sends to "+ch.Name()))
		}
	}
	return rule{"abandoned-send", Defect}.at(places, count(len(places), "goroutine")+" waiting for ever once its reader has left")
}

// bareSend returns the channel a function literal sends to outside a select.
func (p *Package) bareSend(lit *ast.FuncLit) *types.Var {
	var ch *types.Var
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			return false
		case *ast.SendStmt:
			if v, ok := p.object(n.Chan).(*types.Var); ok && ch == nil {
				ch = v
			}
		}
		return true
	})
	return ch
}

// unbuffered says whether body makes ch without a buffer.
func (p *Package) unbuffered(body *ast.BlockStmt, ch *types.Var) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || p.object(assign.Lhs[0]) != ch {
			return true
		}
		call, ok := assign.Rhs[0].(*ast.CallExpr)
		found = found || ok && len(call.Args) == 1 && p.builtin(call, "make")
		return true
	})
	return found
}

// readerMayLeave says whether the only receives from ch are cases of a select
// that has others.
func (p *Package) readerMayLeave(body *ast.BlockStmt, sender *ast.FuncLit, ch *types.Var) bool {
	leaves, waits := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n != sender
		case *ast.SelectStmt:
			if len(n.Body.List) > 1 && p.receivesFrom(n, ch) {
				leaves = true
				return false
			}
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW && p.object(n.X) == ch
		case *ast.RangeStmt:
			waits = waits || p.object(n.X) == ch
		}
		return true
	})
	return leaves && !waits
}

func (p *Package) receivesFrom(sel *ast.SelectStmt, ch *types.Var) bool {
	for _, clause := range sel.Body.List {
		found := false
		if comm := clause.(*ast.CommClause).Comm; comm != nil {
			ast.Inspect(comm, func(n ast.Node) bool {
				u, ok := n.(*ast.UnaryExpr)
				found = found || ok && u.Op == token.ARROW && p.object(u.X) == ch
				return true
			})
		}
		if found {
			return true
		}
	}
	return false
}
