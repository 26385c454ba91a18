package inspect

import (
	"fmt"
	"go/types"
)

func (p *Package) answerNotForImporters(at Place) (string, Place, bool) {
	switch {
	case p.Main():
		return "package main has no importers", at, true
	case p.Internal():
		return p.Path + " can be imported by its own module alone", at, true
	}
	return "", Place{}, false
}

func (p *Package) answerExported(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil || p.Main() || p.Internal() || !f.exported() {
		return "", Place{}, false
	}
	return fmt.Sprintf("%s at %s is exported: others depend on it", f.name, p.at(f.decl.Pos())), p.functionPlace(f, ""), true
}

// answerSetByInterface finds the interface that dictates a method's signature.
func (p *Package) answerSetByInterface(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil || f.obj == nil || f.decl.Recv == nil {
		return "", Place{}, false
	}
	recv := f.obj.Signature().Recv().Type()
	name := p.interfaceOf(recv, f.obj.Name())
	return fmt.Sprintf("%s at %s implements %s", f.name, p.at(f.decl.Pos()), name), p.functionPlace(f, ""), name != ""
}

// interfaceOf names the first interface in sight, other than of the package
// itself, that has the method and that t implements.
func (p *Package) interfaceOf(t types.Type, method string) string {
	for _, pkg := range p.main.pkg.Imports() {
		for _, name := range pkg.Scope().Names() {
			tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || !tn.Exported() {
				continue
			}
			i, ok := tn.Type().Underlying().(*types.Interface)
			if ok && hasMethod(i, method) && types.Implements(t, i) {
				return pkg.Name() + "." + name
			}
		}
	}
	return ""
}

func hasMethod(i *types.Interface, name string) bool {
	for m := range i.Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}

func (p *Package) answerFlat(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil {
		return "", Place{}, false
	}
	n := cognitive(f.decl)
	return fmt.Sprintf("%s at %s is long but plain: cognitive complexity %d, nested %d deep", f.name, p.at(f.decl.Pos()), n, nesting(f.decl)),
		p.functionPlace(f, ""), n <= maxCognitive/2
}

func (p *Package) answerTrivial(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil {
		return "", Place{}, false
	}
	return fmt.Sprintf("%s at %s has no branch and %s", f.name, p.at(f.decl.Pos()), count(p.codeLines(f.decl), "line")),
		p.functionPlace(f, ""), cognitive(f.decl) == 0 && p.codeLines(f.decl) <= 6
}

func (p *Package) answerIntricate(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil {
		return "", Place{}, false
	}
	n := cognitive(f.decl)
	return fmt.Sprintf("%s at %s has a cognitive complexity of %d", f.name, p.at(f.decl.Pos()), n), p.functionPlace(f, ""), n > maxCognitive/2
}
