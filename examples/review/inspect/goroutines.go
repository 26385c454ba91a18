package inspect

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

var (
	looseGoroutine = rule{"loose-goroutine", Correctness, Medium, 0.6, 2}
	abandonedSend  = rule{"abandoned-send", Correctness, High, 0.8, 0.7}
)

// looseGoroutines lists go statements whose function shows no sign that anyone
// can stop it or wait for it: no channel operation, no context, no WaitGroup,
// not in itself nor in the functions of the package that it calls.
func looseGoroutines(p *Package) []Finding {
	var places []Place
	total := 0
	for c := range p.code.Preorder((*ast.GoStmt)(nil)) {
		total++
		if p.Typed() && !p.tied(c.Node().(*ast.GoStmt).Call, make(map[*types.Func]bool)) {
			places = append(places, p.place(c, types.ExprString(c.Node().(*ast.GoStmt).Call.Fun)))
		}
	}
	for i := range places {
		if strings.HasPrefix(places[i].Note, "(func") || strings.HasPrefix(places[i].Note, "func") {
			places[i].Note = "function literal"
		}
	}
	return looseGoroutine.over(places, total, share(len(places), total, "goroutine")+" that nothing stops or waits for")
}

// tied follows calls into the package. What it cannot see, a function value or
// another package's function, gets the benefit of the doubt.
func (p *Package) tied(call *ast.CallExpr, seen map[*types.Func]bool) bool {
	if p.takesContext(call) {
		return true
	}
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return p.tiedBody(lit.Body, seen)
	}
	fn := p.calledFunc(call)
	if fn == nil || fn.Pkg() != p.main.pkg {
		return true
	}
	if seen[fn] {
		return false
	}
	seen[fn] = true
	decl := p.declOf(fn)
	return decl == nil || decl.Body == nil || p.tiedBody(decl.Body, seen)
}

func (p *Package) takesContext(call *ast.CallExpr) bool {
	for _, arg := range call.Args {
		if isNamed(p.typeOf(arg), "context", "Context") {
			return true
		}
	}
	return false
}

func (p *Package) tiedBody(body *ast.BlockStmt, seen map[*types.Func]bool) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		found = found || p.tie(n, seen)
		return !found
	})
	return found
}

// tie says whether a node connects a goroutine to others.
func (p *Package) tie(n ast.Node, seen map[*types.Func]bool) bool {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.SelectStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.RangeStmt:
		return isChannel(p.typeOf(n.X))
	case *ast.CallExpr:
		return p.tieCall(n, seen)
	}
	return false
}

// tieCall knows the calls by which goroutines meet; a call within the package
// is followed.
func (p *Package) tieCall(call *ast.CallExpr, seen map[*types.Func]bool) bool {
	switch p.callee(call) {
	case "(*sync.WaitGroup).Done", "(*sync.WaitGroup).Wait", "(*sync.Cond).Wait", "(*sync.Cond).Broadcast", "(*sync.Cond).Signal":
		return true
	}
	if p.builtin(call, "close") || p.takesContext(call) {
		return true
	}
	fn := p.calledFunc(call)
	return fn != nil && fn.Pkg() == p.main.pkg && p.declOf(fn) != nil && p.tied(call, seen)
}

func isChannel(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

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
	return abandonedSend.over(places, 0, count(len(places), "goroutine")+" waiting for ever once its reader has left")
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
