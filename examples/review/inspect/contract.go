package inspect

import "go/types"

// contract is an interface that code in sight may call methods through.
type contract struct {
	*types.Interface
	generic bool
}

// addInterfaces lets a type mention those of its methods that an interface in
// sight can call: one of the package, of its direct imports, or error.
func (g *graph) addInterfaces() {
	contracts := g.contracts()
	scope := g.p.main.pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		for _, c := range contracts {
			g.addImplementation(tn, c)
		}
		g.addSelfEvident(tn)
	}
}

// addSelfEvident covers the methods that the standard library looks for without
// declaring an interface, like the Is of an error.
func (g *graph) addSelfEvident(tn *types.TypeName) {
	named, ok := types.Unalias(tn.Type()).(*types.Named)
	if !ok {
		return
	}
	for m := range named.Methods() {
		if selfEvident[m.Name()] {
			g.addUse(tn, m)
		}
	}
}

// addImplementation matches by name alone where either side is generic: before
// they are instantiated, nothing implements anything.
func (g *graph) addImplementation(tn *types.TypeName, c contract) {
	ptr := types.NewPointer(tn.Type())
	if !c.generic && !generic(tn) && !types.Implements(ptr, c.Interface) {
		return
	}
	for m := range c.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(ptr, true, tn.Pkg(), m.Name())
		g.addUse(tn, obj)
	}
}

func generic(tn *types.TypeName) bool {
	named, ok := types.Unalias(tn.Type()).(*types.Named)
	return ok && named.TypeParams().Len() > 0
}

func (g *graph) contracts() []contract {
	all := []contract{{errorType.Underlying().(*types.Interface), false}}
	for _, pkg := range append(g.p.main.pkg.Imports(), g.p.main.pkg) {
		for _, name := range pkg.Scope().Names() {
			tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok {
				continue
			}
			if i, ok := tn.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
				all = append(all, contract{i, generic(tn)})
			}
		}
	}
	return all
}
