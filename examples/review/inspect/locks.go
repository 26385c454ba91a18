package inspect

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

var (
	blockedLock = rule{"blocked-while-locked", Correctness, Medium, 0.65, 2}
	lostUnlock  = rule{"lost-unlock", Correctness, High, 0.7, 1}
)

// blockedWhileLocked lists what can wait for others, or run others' code, after
// Lock and before its Unlock in the same list of statements: channel operations
// outside a select with default, time.Sleep, and calls of function values.
func blockedWhileLocked(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.BlockStmt)(nil)) {
		for _, held := range p.heldRegions(c) {
			places = append(places, p.blocking(held)...)
		}
	}
	return blockedLock.over(places, 0, count(len(places), "operation")+" able to block while a lock is held")
}

// heldRegions returns the statements of a block that run under a lock taken in
// that block.
func (p *Package) heldRegions(block inspector.Cursor) []inspector.Cursor {
	var region []inspector.Cursor
	lock := ""
	for s := range block.Children() {
		stmt := s.Node().(ast.Stmt)
		switch x, method := p.lockCall(stmt); {
		case lock == "" && (method == "Lock" || method == "RLock"):
			lock = x
		case lock != "" && x == lock && strings.HasSuffix(method, "Unlock"):
			lock = ""
		case lock != "":
			region = append(region, s)
		}
	}
	return region
}

// lockCall returns the lock and the method of a statement "x.Lock()".
func (p *Package) lockCall(stmt ast.Stmt) (lock, method string) {
	s, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return "", ""
	}
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	return p.lockMethod(call)
}

func (p *Package) lockMethod(call *ast.CallExpr) (lock, method string) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	name := p.callee(call)
	if !strings.HasPrefix(name, "(*sync.Mutex).") && !strings.HasPrefix(name, "(*sync.RWMutex).") && !strings.HasPrefix(name, "(sync.Locker).") {
		return "", ""
	}
	return types.ExprString(sel.X), sel.Sel.Name
}

func (p *Package) blocking(region inspector.Cursor) []Place {
	var places []Place
	visit := func(c inspector.Cursor) bool {
		if deferredOrElsewhere(c.Node()) || p.unlocks(c.Node()) {
			return false
		}
		if note := p.blocks(c); note != "" {
			places = append(places, p.place(c, note))
		}
		return true
	}
	region.Inspect(nil, visit)
	return places
}

// deferredOrElsewhere says whether a node's code does not run here and now.
func deferredOrElsewhere(n ast.Node) bool {
	switch n.(type) {
	case *ast.GoStmt, *ast.DeferStmt, *ast.FuncLit:
		return true
	}
	return false
}

// unlocks says whether a nested block gives up the lock: what follows in it is
// not looked at, as it would need the paths and not the lines.
func (p *Package) unlocks(n ast.Node) bool {
	block, ok := n.(*ast.BlockStmt)
	if !ok {
		return false
	}
	for _, s := range block.List {
		if _, method := p.lockCall(s); strings.HasSuffix(method, "Unlock") {
			return true
		}
	}
	return false
}

func (p *Package) blocks(c inspector.Cursor) string {
	switch n := c.Node().(type) {
	case *ast.SendStmt:
		return note("sends to "+types.ExprString(n.Chan), !nonBlocking(c))
	case *ast.UnaryExpr:
		return note("receives from "+types.ExprString(n.X), n.Op == token.ARROW && !nonBlocking(c))
	case *ast.CallExpr:
		if p.callee(n) == "time.Sleep" {
			return "sleeps"
		}
		return note("calls "+types.ExprString(n.Fun), p.callsValue(n))
	}
	return ""
}

func note(s string, ok bool) string {
	if ok {
		return s
	}
	return ""
}

// nonBlocking says whether c is a case of a select that has a default.
func nonBlocking(c inspector.Cursor) bool {
	for s := range c.Enclosing((*ast.SelectStmt)(nil), (*ast.FuncDecl)(nil)) {
		sel, ok := s.Node().(*ast.SelectStmt)
		return ok && hasDefault(sel) && isCommunication(sel, c)
	}
	return false
}

func hasDefault(sel *ast.SelectStmt) bool {
	for _, clause := range sel.Body.List {
		if clause.(*ast.CommClause).Comm == nil {
			return true
		}
	}
	return false
}

func isCommunication(sel *ast.SelectStmt, c inspector.Cursor) bool {
	for _, clause := range sel.Body.List {
		if comm := clause.(*ast.CommClause).Comm; comm != nil && comm.Pos() <= c.Node().Pos() && c.Node().End() <= comm.End() {
			return true
		}
	}
	return false
}

// callsValue says whether a call calls a field, parameter or global of function
// type: code that the lock's owner does not know.
func (p *Package) callsValue(call *ast.CallExpr) bool {
	v, ok := p.object(call.Fun).(*types.Var)
	if !ok {
		return false
	}
	if _, ok := v.Type().Underlying().(*types.Signature); !ok {
		return false
	}
	return v.IsField() || v.Kind() == types.ParamVar || p.global(call.Fun) != nil
}

// unreleasedLocks lists functions that take a lock and mention no unlocking of
// it. Functions whose name speaks of locking mean it.
func unreleasedLocks(p *Package) []Finding {
	var places []Place
	for _, f := range p.functions() {
		if f.decl.Body == nil || strings.Contains(strings.ToLower(f.name), "lock") {
			continue
		}
		places = append(places, p.unreleased(f)...)
	}
	return lostUnlock.over(places, 0, count(len(places), "lock")+" taken and not released in the same function")
}

func (p *Package) unreleased(f *function) []Place {
	taken, order := make(map[string]*ast.CallExpr), []string(nil)
	released := make(map[string]bool)
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			if sel, ok := n.(*ast.SelectorExpr); ok && strings.HasSuffix(sel.Sel.Name, "Unlock") {
				released[types.ExprString(sel.X)] = true
			}
			return true
		}
		lock, method := p.lockMethod(call)
		if (method == "Lock" || method == "RLock") && taken[lock] == nil {
			taken[lock] = call
			order = append(order, lock)
		}
		return true
	})
	var places []Place
	for _, lock := range order {
		if !released[lock] {
			places = append(places, Place{p.at(taken[lock].Pos()), f.name, lock})
		}
	}
	return places
}
