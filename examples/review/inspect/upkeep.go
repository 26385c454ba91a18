package inspect

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"regexp"
	"strings"
)

// maxFileLines is where a file stops being about one thing: bufio.go has 842
// lines, net/http's server.go 4,073.
const maxFileLines = 1500

var (
	deadCode = rule{"dead-code", Design, Medium, 0.85, 5}
	openTodo = rule{"open-todo", Design, Low, 0.9, 6}
	longFile = rule{name: "long-file", dimension: Design, severity: Low, confidence: 0.9}
)

// deadFunctions lists functions that neither callers nor tests can reach.
// Methods may be called through an interface: exported ones always,
// others if an interface of the package names them. Assembly and go:linkname call what Go code does not name, so it is
// silent where it sees either.
func deadFunctions(p *Package) []Finding {
	if !p.TestsTyped || p.foreignCallers() {
		return nil
	}
	live, called := p.graph().live(), p.interfaceMethods()
	var places []Place
	for _, f := range p.functions() {
		method := f.decl.Recv != nil && (f.decl.Name.IsExported() || called[f.decl.Name.Name])
		if f.obj != nil && live[f.obj] == nil && f.name != "_" && !method {
			places = append(places, p.functionPlace(f, ""))
		}
	}
	return deadCode.over(places, len(p.functions()), share(len(places), len(p.functions()), "function")+" that nothing reaches")
}

// interfaceMethods returns the method names that interfaces of the package
// mention, in declarations or in passing.
func (p *Package) interfaceMethods() map[string]bool {
	names := make(map[string]bool)
	for c := range p.code.Preorder((*ast.InterfaceType)(nil)) {
		for _, m := range c.Node().(*ast.InterfaceType).Methods.List {
			for _, id := range m.Names {
				names[id.Name] = true
			}
		}
	}
	return names
}

func (p *Package) foreignCallers() bool {
	for _, ext := range []string{"*.s", "*.c"} {
		// Glob fails for malformed patterns only.
		if names, _ := filepath.Glob(filepath.Join(p.Dir, ext)); len(names) > 0 {
			return true
		}
	}
	for _, f := range p.Files {
		if f.mentions("//go:linkname ") || f.mentions("//export ") {
			return true
		}
	}
	return false
}

func (f *File) mentions(directive string) bool {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, directive) {
				return true
			}
		}
	}
	return false
}

var todo = regexp.MustCompile(`^(?://|/\*)\s*(TODO|FIXME|HACK|XXX|BUG)\b[:(]?`)

func openTodos(p *Package) []Finding {
	var places []Place
	for _, f := range p.Files {
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				if m := todo.FindStringSubmatch(c.Text); m != nil {
					places = append(places, Place{p.at(c.Pos()), "", m[1]})
				}
			}
		}
	}
	return openTodo.over(places, 0, count(len(places), "open TODO"))
}

func longFiles(p *Package) []Finding {
	var places []measured
	for _, f := range p.Files {
		if !f.Test && f.Lines > maxFileLines {
			places = append(places, measured{Place{Position{f.Name, 1}, "", fmt.Sprintf("%d lines", f.Lines)}, f.Lines})
		}
	}
	return longFile.beyond(places, maxFileLines, fmt.Sprintf("%s longer than %d lines", count(len(places), "file"), maxFileLines))
}
