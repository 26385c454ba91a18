package inspect

import (
	"go/ast"
	"go/types"
	"strings"
)

// unreleasedLocks lists functions that take a lock and mention no unlocking of
// it. Functions whose name speaks of locking mean it.
func unreleasedLocks(p *Package) []Finding {
	var places []Place
	for _, f := range p.functions() {
		if f.decl.Body == nil || strings.Contains(strings.ToLower(f.name), "lock") || p.returnsFunc(f) {
			continue
		}
		places = append(places, p.unreleased(f)...)
	}
	return rule{"lost-unlock", Defect}.at(places, count(len(places), "lock")+" taken and not released in the same function")
}

// returnsFunc says whether a function may hand out the way to unlock.
func (p *Package) returnsFunc(f *function) bool {
	if f.obj == nil {
		return false
	}
	for r := range f.obj.Signature().Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
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
		if method != "Lock" && method != "RLock" {
			return true
		}
		if taken[lock] == nil {
			order = append(order, lock)
		}
		taken[lock] = call // the last one: a deferred Lock was meant to be the Unlock
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
