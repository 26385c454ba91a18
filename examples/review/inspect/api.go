package inspect

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the api inspector. strings exports 79 functions and methods, log/slog
// 102 and net/http 136.
const (
	maxExported  = 120
	maxParams    = 5
	maxInterface = 12
)

var (
	nothingHere = rule{"empty-package", Design, Medium, 1, 0.5}
	wideAPI     = rule{name: "wide-surface", dimension: Design, severity: Low, confidence: 0.8}
	longParams  = rule{name: "long-parameters", dimension: Design, severity: Medium, confidence: 0.8}
	boolParams  = rule{"bool-parameters", Design, Low, 0.7, 4}
	lateContext = rule{"late-context", Design, Medium, 0.95, 2}
	stutters    = rule{"stutter", Design, Low, 0.85, 3}
	leakedLock  = rule{"exported-lock", Design, Medium, 0.9, 1}
	wideIface   = rule{name: "wide-interface", dimension: Design, severity: Low, confidence: 0.7}
)

// emptyPackage speaks when there is nothing to review.
func emptyPackage(p *Package) []Finding {
	for _, f := range p.Files {
		for _, d := range f.syntax.Decls {
			if g, ok := d.(*ast.GenDecl); !f.Test && (!ok || len(g.Specs) > 0) {
				return nil
			}
		}
	}
	f := nothingHere.finding([]Place{{Name: p.Name}}, 1, "the package declares nothing outside its tests")
	return []Finding{f}
}

func wideSurface(p *Package) []Finding {
	n := len(p.exported())
	if p.Main() || n <= maxExported {
		return nil
	}
	at := measured{Place{Name: p.Name, Note: count(n, "function") + " and methods"}, n}
	return wideAPI.beyond([]measured{at}, maxExported, fmt.Sprintf("an exported surface of %d functions and methods", n))
}

func longParameters(p *Package) []Finding {
	var places []measured
	for _, f := range p.exported() {
		if n := f.decl.Type.Params.NumFields(); n > maxParams {
			places = append(places, measured{p.functionPlace(f, fmt.Sprintf("%d parameters", n)), n})
		}
	}
	return longParams.beyond(places, maxParams, fmt.Sprintf("%s with more than %d parameters",
		count(len(places), "exported function"), maxParams))
}

// boolParameters lists functions whose call reads f(x, true): a bool among
// other parameters. A setter's only parameter may well be one.
func boolParameters(p *Package) []Finding {
	var places []Place
	for _, f := range p.exported() {
		params := f.decl.Type.Params
		if name := boolParameter(params); name != "" && params.NumFields() > 1 && !strings.Contains(f.name, "Bool") {
			places = append(places, p.functionPlace(f, name+" bool"))
		}
	}
	return boolParams.over(places, len(p.exported()), count(len(places), "exported function")+" with a bool among its parameters")
}

func boolParameter(params *ast.FieldList) string {
	for _, field := range params.List {
		if id, ok := field.Type.(*ast.Ident); ok && id.Name == "bool" {
			if len(field.Names) > 0 {
				return field.Names[0].Name
			}
			return "unnamed"
		}
	}
	return ""
}

// lateContexts lists functions that take a context, but not first.
func lateContexts(p *Package) []Finding {
	var places []Place
	for _, f := range p.exported() {
		for i, field := range f.decl.Type.Params.List {
			if i > 0 && types.ExprString(field.Type) == "context.Context" && !testParameter(f.decl) {
				places = append(places, p.functionPlace(f, ""))
			}
		}
	}
	return lateContext.over(places, 0, count(len(places), "function")+" whose context is not the first parameter")
}

// testParameter allows what helpers of tests do: t first, then the context.
func testParameter(decl *ast.FuncDecl) bool {
	return strings.HasPrefix(strings.TrimPrefix(types.ExprString(decl.Type.Params.List[0].Type), "*"), "testing.")
}

// stutter lists exported names that repeat the package's: bus.BusOptions.
func stutter(p *Package) []Finding {
	var places []Place
	total := 0
	for _, f := range p.Files {
		if f.Test || p.Main() {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, n := range docNames(d) {
				total++
				if !strings.Contains(n.name, ".") && repeats(n.name, p.Name) {
					places = append(places, Place{p.at(n.id.Pos()), n.name, p.Name + "." + n.name})
				}
			}
		}
	}
	return stutters.over(places, total, count(len(places), "name")+" repeating the package's name")
}

func repeats(name, pkg string) bool {
	if len(name) <= len(pkg) || !strings.EqualFold(name[:len(pkg)], pkg) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(name[len(pkg):])
	return unicode.IsUpper(next)
}

// exportedLocks lists exported structs that embed a lock: Lock and Unlock are
// then theirs to call for anyone.
func exportedLocks(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.TypeSpec)(nil)) {
		spec := c.Node().(*ast.TypeSpec)
		st, ok := spec.Type.(*ast.StructType)
		if !ok || !spec.Name.IsExported() {
			continue
		}
		for _, field := range st.Fields.List {
			if t := strings.TrimPrefix(types.ExprString(field.Type), "*"); len(field.Names) == 0 && (t == "sync.Mutex" || t == "sync.RWMutex") {
				places = append(places, Place{p.at(field.Pos()), spec.Name.Name, t})
			}
		}
	}
	return leakedLock.over(places, 0, count(len(places), "exported struct")+" embedding its lock")
}

func wideInterfaces(p *Package) []Finding {
	var places []measured
	for c := range p.code.Preorder((*ast.TypeSpec)(nil)) {
		spec := c.Node().(*ast.TypeSpec)
		iface, ok := spec.Type.(*ast.InterfaceType)
		if ok && spec.Name.IsExported() && !sealed(iface) && iface.Methods.NumFields() > maxInterface {
			n := iface.Methods.NumFields()
			places = append(places, measured{Place{p.at(spec.Pos()), spec.Name.Name, fmt.Sprintf("%d methods", n)}, n})
		}
	}
	return wideIface.beyond(places, maxInterface, fmt.Sprintf("%s with more than %d methods", count(len(places), "interface"), maxInterface))
}

// sealed says whether an interface has a method that others cannot write.
func sealed(iface *ast.InterfaceType) bool {
	for _, m := range iface.Methods.List {
		for _, id := range m.Names {
			if !id.IsExported() {
				return true
			}
		}
	}
	return false
}
