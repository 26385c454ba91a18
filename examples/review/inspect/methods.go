package inspect

import (
	"go/ast"
	"go/types"
)

// addInterfaces lets a type mention its methods that an interface anywhere in
// sight could call: one of the package, of its tests or of what they import,
// named or not. Names decide, so that "no test reaches this" holds even where a
// value travels as an interface that this package never spells out.
func (g *graph) addInterfaces() {
	called := g.calledByInterfaces()
	for _, u := range []unit{g.p.main, g.p.outside} {
		if !u.typed() {
			continue
		}
		for _, name := range u.pkg.Scope().Names() {
			tn, ok := u.pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
				continue
			}
			for m := range typeMethods(tn) {
				if called[m.Name()] {
					g.addUse(tn, m)
				}
			}
		}
	}
}

// typeMethods yields the methods declared on a type.
func typeMethods(tn *types.TypeName) func(func(*types.Func) bool) {
	named, ok := tn.Type().(*types.Named)
	if !ok {
		return func(func(*types.Func) bool) {}
	}
	return named.Methods()
}

// calledByInterfaces returns the names of all methods of all interfaces in sight,
// and those the standard library looks for without declaring an interface.
func (g *graph) calledByInterfaces() map[string]bool {
	names := map[string]bool{"Is": true, "As": true, "Unwrap": true}
	seen := make(map[*types.Package]bool)
	for _, u := range []unit{g.p.main, g.p.outside} {
		if u.typed() {
			addInterfaceMethods(names, u.pkg, seen)
		}
	}
	for _, f := range g.p.Files {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					for _, id := range m.Names {
						names[id.Name] = true
					}
				}
			}
			return true
		})
	}
	return names
}

func addInterfaceMethods(names map[string]bool, pkg *types.Package, seen map[*types.Package]bool) {
	if seen[pkg] {
		return
	}
	seen[pkg] = true
	for _, name := range pkg.Scope().Names() {
		tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if i, ok := tn.Type().Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				names[m.Name()] = true
			}
		}
	}
	for _, dep := range pkg.Imports() {
		addInterfaceMethods(names, dep, seen)
	}
}
