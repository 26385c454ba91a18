package inspect

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// racingWrites lists writes that a goroutine makes to a variable of the function
// around it, or of the package, without a lock, while others can get at it: the
// goroutine is started in a loop, or the function uses the variable before
// anything waits.
func racingWrites(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.FuncLit)(nil)) {
		lit := c.Node().(*ast.FuncLit)
		start, ok := p.startOf(c)
		if !ok || !p.Typed() || p.synchronises(lit.Body) {
			continue
		}
		for _, w := range p.writes(lit) {
			if p.sharedByLoop(start, w) || p.usedBeforeWait(start, w) {
				places = append(places, Place{p.at(w.at.Pos()), p.around(c), "writes " + w.v.Name() + " in a goroutine"})
			}
		}
	}
	return rule{"racing-write", Defect}.at(places, count(len(places), "write")+" of a goroutine to what others use, without a lock")
}

// startOf returns the statement that runs a function literal in a goroutine: a
// go statement, or a call of a method Go.
func (p *Package) startOf(lit inspector.Cursor) (inspector.Cursor, bool) {
	call, ok := lit.Parent().Node().(*ast.CallExpr)
	if !ok {
		return lit, false
	}
	if _, ok := lit.Parent().Parent().Node().(*ast.GoStmt); ok && call.Fun == lit.Node() {
		return lit.Parent().Parent(), true
	}
	name := p.callee(call)
	return lit.Parent(), name == "(*sync.WaitGroup).Go" || strings.HasSuffix(name, "errgroup.Group).Go")
}

// synchronises says whether a body takes a lock, or waits for its turn.
func (p *Package) synchronises(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := p.callee(n)
			found = found || strings.HasSuffix(name, ").Lock") || strings.HasSuffix(name, ".Once).Do") || strings.HasSuffix(name, ").Wait")
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SelectStmt:
			found = true
		}
		return !found
	})
	return found
}

type write struct {
	v  *types.Var
	at ast.Node
}

// writes returns the first write to each variable that a literal captures.
// Elements of a slice are not shared by being next to each other.
func (p *Package) writes(lit *ast.FuncLit) []write {
	var all []write
	seen := make(map[*types.Var]bool)
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		for _, target := range targets(n) {
			v := p.written(target)
			if v != nil && !seen[v] && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) {
				seen[v] = true
				all = append(all, write{v, n})
			}
		}
		return true
	})
	return all
}

// written returns the variable that an assignment to e changes: e itself, or the
// map that it indexes.
func (p *Package) written(e ast.Expr) *types.Var {
	e = ast.Unparen(e)
	if index, ok := e.(*ast.IndexExpr); ok {
		if t := p.typeOf(index.X); t == nil || !isMap(t) {
			return nil
		}
		e = ast.Unparen(index.X)
	}
	if _, ok := e.(*ast.Ident); !ok {
		return nil
	}
	v, _ := p.object(e).(*types.Var)
	return v
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}

// sharedByLoop says whether start runs in a loop that v outlives and that neither
// waits before it goes on nor is left.
func (p *Package) sharedByLoop(start inspector.Cursor, w write) bool {
	if leaves(start) {
		return false
	}
	for loop := range start.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		var body *ast.BlockStmt
		switch n := loop.Node().(type) {
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		return body != nil && w.v.Pos() < loop.Node().Pos() && !p.waitsAfter(body, start.Node().End())
	}
	return false
}

// leaves says whether the list of statements that start stands in ends by leaving
// the loop.
func leaves(start inspector.Cursor) bool {
	for block := range start.Enclosing((*ast.BlockStmt)(nil)) {
		list := block.Node().(*ast.BlockStmt).List
		switch last := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			return last.Tok == token.BREAK
		}
		return false
	}
	return false
}

func (p *Package) waitsAfter(body ast.Node, pos token.Pos) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		found = found || n != nil && n.Pos() >= pos && p.waits(n)
		return !found
	})
	return found
}

// waits says whether a node may wait for a goroutine.
func (p *Package) waits(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.SelectStmt, *ast.SendStmt, *ast.RangeStmt, *ast.DeferStmt:
		return true
	case *ast.CallExpr:
		// Calls of what is not known here may wait; builtins, conversions and
		// printing do not.
		name := p.callee(n)
		return name == "" && !p.isBuiltin(n) || !strings.HasPrefix(name, "fmt.") && !strings.HasPrefix(name, "strconv.")
	}
	return false
}

// usedBeforeWait says whether the function around start uses v after it, before
// anything that may wait.
func (p *Package) usedBeforeWait(start inspector.Cursor, w write) bool {
	body, after := functionBody(start), start.Node().End()
	if body == nil || w.v.Pos() < body.Pos() || w.v.Pos() > body.End() {
		return false
	}
	waited, used := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || waited || used || n.End() <= after {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && n.Pos() >= after && p.object(id) == w.v {
			used = true
		}
		waited = waited || n.Pos() >= after && p.waits(n)
		return true
	})
	return used
}

func (p *Package) isBuiltin(call *ast.CallExpr) bool {
	tv := p.main.info.Types[call.Fun]
	return tv.IsBuiltin() || tv.IsType()
}

// servedMaps lists maps of the package that HTTP handlers write without a lock:
// every request runs in a goroutine of its own.
func servedMaps(p *Package) []Finding {
	var places []Place
	for _, f := range p.functions() {
		if f.decl.Body == nil || !p.Typed() || !p.serves(f) || p.synchronises(f.decl.Body) {
			continue
		}
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			for _, target := range targets(n) {
				if v := p.written(target); v != nil && v.Parent() == p.main.pkg.Scope() {
					places = append(places, Place{p.at(n.Pos()), f.name, "writes " + v.Name() + " while requests are served"})
				}
			}
			return true
		})
	}
	return rule{"served-write", Defect}.at(places, count(len(places), "write")+" to a package variable by a handler, without a lock")
}

// serves says whether f has the signature of an HTTP handler.
func (p *Package) serves(f *function) bool {
	if f.obj == nil {
		return false
	}
	params := f.obj.Signature().Params()
	return params.Len() == 2 && isNamed(params.At(0).Type(), "net/http", "ResponseWriter") && isNamed(params.At(1).Type(), "net/http", "Request")
}
