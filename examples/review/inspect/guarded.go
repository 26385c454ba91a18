package inspect

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// unguardedWrites lists exported methods that write a field without the lock
// under which other methods of the type write it.
func unguardedWrites(p *Package) []Finding {
	guarded := make(map[*types.Var]string) // fields written under a lock, by which method
	var bare []fieldWrite
	for _, f := range p.functions() {
		locks := p.locksReceiver(f)
		for _, w := range p.fieldWrites(f) {
			switch {
			case locks && guarded[w.field] == "":
				guarded[w.field] = f.name
			case !locks && f.exported() && !p.callsOwn(f) && !speaksOfLocks(f):
				bare = append(bare, w)
			}
		}
	}
	var places []Place
	for _, w := range bare {
		if by := guarded[w.field]; by != "" {
			places = append(places, Place{p.at(w.at.Pos()), w.f.name, "writes " + w.field.Name() + ", which " + by + " writes under a lock"})
		}
	}
	return rule{"unguarded-write", Defect}.at(places, count(len(places), "write")+" without the lock that other methods take")
}

type fieldWrite struct {
	f     *function
	field *types.Var
	at    ast.Node
}

// fieldWrites returns the writes of a method to its receiver's fields, or to the
// maps in them.
func (p *Package) fieldWrites(f *function) []fieldWrite {
	recv := p.receiverOf(f)
	if recv == nil || f.decl.Body == nil {
		return nil
	}
	var all []fieldWrite
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		for _, e := range targets(n) {
			if index, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
				e = index.X
			}
			sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
			if !ok || p.object(sel.X) != recv {
				continue
			}
			if v, ok := p.object(sel).(*types.Var); ok && v.IsField() {
				all = append(all, fieldWrite{f, v, n})
			}
		}
		return true
	})
	return all
}

// receiverOf returns the variable of a method's receiver.
func (p *Package) receiverOf(f *function) types.Object {
	if f.decl.Recv == nil || len(f.decl.Recv.List[0].Names) == 0 || !p.Typed() {
		return nil
	}
	return p.main.info.Defs[f.decl.Recv.List[0].Names[0]]
}

// locksReceiver says whether a method takes a lock of its receiver.
func (p *Package) locksReceiver(f *function) bool {
	recv := p.receiverOf(f)
	if recv == nil || f.decl.Body == nil {
		return false
	}
	found := false
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			_, method := p.lockMethod(call)
			found = found || method == "Lock" && p.object(root(call.Fun)) == recv
		}
		return !found
	})
	return found
}

// root is the variable that a chain of selectors begins with.
func root(e ast.Expr) ast.Expr {
	for {
		sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok {
			return e
		}
		e = sel.X
	}
}

// callsOwn says whether a method calls methods of its receiver, or anything that
// locks: what they do about the lock is not known here.
func (p *Package) callsOwn(f *function) bool {
	recv := p.receiverOf(f)
	found := false
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			sel, isSel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			found = found || isSel && p.object(root(sel)) == recv
		}
		return !found
	})
	return found
}

// speaksOfLocks says whether a method's name or documentation says who holds the
// lock, or that it is not for use at once.
func speaksOfLocks(f *function) bool {
	text := strings.ToLower(f.name + " " + f.decl.Doc.Text())
	return slices.ContainsFunc([]string{"lock", "mutex", "concurren", "simultaneous", "before"}, func(word string) bool {
		return strings.Contains(text, word)
	})
}
