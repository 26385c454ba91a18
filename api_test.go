package swarmbus_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExportedNamesAreThoseOfAPI compares what the packages of each module export with its file in api.
func TestExportedNamesAreThoseOfAPI(t *testing.T) {
	t.Parallel()
	all := apis(t)
	if *update {
		old, err := filepath.Glob("api/*.txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range old {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	for file, lines := range all {
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		was := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if diff := append(without("+", lines, was), without("-", was, lines)...); len(diff) > 0 {
			t.Errorf("%s differs from what is exported; if that is meant: go test . -run API -update\n%s", file, strings.Join(diff, "\n"))
		}
	}
}

// without returns the lines that others lack, marked.
func without(mark string, lines, others []string) (all []string) {
	known := map[string]bool{}
	for _, line := range others {
		known[line] = true
	}
	for _, line := range lines {
		if !known[line] {
			all = append(all, mark+line)
		}
	}
	return all
}

// apis returns what may be imported of each module that is here, sorted, by its file in api.
// Examples, benchmarks and modules of tests are not for importing.
func apis(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]*ast.File{} // by directory
	modules := []string{"."}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "node_modules", "internal", "examples", "benchmarks", "natstest", "browser", "jaegertest"}, d.Name())):
			return filepath.SkipDir
		case d.IsDir() && (isModule(name) || slices.Contains(own, name)):
			modules = append(modules, name)
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if f.Name.Name != "main" {
				dir := filepath.ToSlash(filepath.Dir(name))
				packages[dir] = append(packages[dir], f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for dir, files := range packages {
		of := "."
		for _, m := range modules {
			if within(dir, m) && len(m) > len(of) {
				of = m
			}
		}
		file := "api/swarmbus.txt"
		if of != "." {
			file = "api/" + strings.ReplaceAll(of, "/", "-") + ".txt"
		}
		if lines := exports(files); lines != nil {
			for _, line := range lines {
				all[file] = append(all[file], dir+": "+line)
			}
		}
	}
	for _, lines := range all {
		slices.Sort(lines)
	}
	return all
}

// A surface is what a package exports, as lines.
type surface struct {
	lines   map[string]bool
	types   map[string]*ast.TypeSpec
	methods map[string][]*ast.FuncDecl // by type
}

// exports returns a line for each exported name of a package.
func exports(files []*ast.File) []string {
	a := &surface{map[string]bool{}, map[string]*ast.TypeSpec{}, map[string][]*ast.FuncDecl{}}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if of := strings.TrimSuffix(receiver(d), "."); of != "" {
					a.methods[of] = append(a.methods[of], d)
				} else if d.Name.IsExported() {
					a.say("func %s%s%s", d.Name.Name, parameters(d.Type.TypeParams), signature(d.Type))
				}
			case *ast.GenDecl:
				a.values(d)
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						a.types[s.Name.Name] = s
					}
				}
			}
		}
	}
	for name, s := range a.types {
		if s.Name.IsExported() {
			a.declare(name, s)
		}
	}
	return slices.Sorted(maps.Keys(a.lines))
}

func (a *surface) say(format string, args ...any) { a.lines[fmt.Sprintf(format, args...)] = true }

// values adds constants and variables. Constants keep a value that is written as one.
func (a *surface) values(d *ast.GenDecl) {
	of := "" // the type of a list of constants
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		switch {
		case v.Type != nil:
			of = " " + types.ExprString(v.Type)
		case v.Values != nil:
			of = ""
		}
		for i, name := range v.Names {
			if !name.IsExported() {
				continue
			}
			value := ""
			if d.Tok == token.CONST && i < len(v.Values) {
				if l, ok := v.Values[i].(*ast.BasicLit); ok && !strings.Contains(l.Value, "\n") {
					value = " = " + l.Value
				}
			}
			a.say("%s %s%s%s", d.Tok, name.Name, of, value)
		}
	}
}

// declare adds a type with its methods and its fields.
func (a *surface) declare(name string, s *ast.TypeSpec) {
	alias := ""
	if s.Assign.IsValid() {
		alias = "= "
	}
	is := types.ExprString(plain(s.Type))
	switch s.Type.(type) {
	case *ast.StructType:
		is = "struct"
	case *ast.InterfaceType:
		is = "interface"
	}
	a.say("type %s%s %s%s", name, parameters(s.TypeParams), alias, is)
	a.members(name, name, map[string]bool{})
}

// members adds what a type has of its own and by types of the package that it embeds and
// that are not exported. A name that is known hides another one.
func (a *surface) members(name, of string, known map[string]bool) {
	for _, m := range a.methods[of] {
		if m.Name.IsExported() && !known[m.Name.Name] {
			known[m.Name.Name] = true
			star := ""
			if _, ok := m.Recv.List[0].Type.(*ast.StarExpr); ok {
				star = "*"
			}
			a.say("method (%s%s) %s%s", star, name, m.Name.Name, signature(m.Type))
		}
	}
	s := a.types[of]
	if s == nil {
		return
	}
	switch s := s.Type.(type) {
	case *ast.StructType:
		a.fields(name, s.Fields, known)
	case *ast.InterfaceType:
		a.asks(name, s)
	}
}

func (a *surface) fields(name string, fields *ast.FieldList, known map[string]bool) {
	var embedded []string
	for _, f := range fields.List {
		for _, n := range f.Names {
			if n.IsExported() && !known[n.Name] {
				known[n.Name] = true
				a.say("field %s.%s %s", name, n.Name, types.ExprString(plain(f.Type)))
			}
		}
		if len(f.Names) == 0 {
			is := types.ExprString(f.Type)
			if of := strings.TrimPrefix(is, "*"); a.types[of] != nil && !ast.IsExported(of) {
				embedded = append(embedded, of)
			} else {
				a.say("field %s embeds %s", name, is)
			}
		}
	}
	for _, of := range embedded {
		a.members(name, of, known)
	}
}

// asks adds what an interface asks for. One with a name that is not exported can have no
// implementation elsewhere.
func (a *surface) asks(name string, i *ast.InterfaceType) {
	for _, m := range i.Methods.List {
		f, ok := m.Type.(*ast.FuncType)
		switch {
		case !ok:
			a.say("interface %s embeds %s", name, types.ExprString(m.Type))
		case m.Names[0].IsExported():
			a.say("interface %s has %s%s", name, m.Names[0].Name, signature(f))
		default:
			a.say("interface %s is closed", name)
		}
	}
}

func signature(f *ast.FuncType) string {
	return strings.TrimPrefix(types.ExprString(plain(&ast.FuncType{Params: f.Params, Results: f.Results})), "func")
}

// parameters returns those of a generic declaration.
func parameters(all *ast.FieldList) string {
	if all == nil {
		return ""
	}
	var each []string
	for _, f := range all.List {
		for _, n := range f.Names {
			each = append(each, n.Name+" "+types.ExprString(f.Type))
		}
	}
	return "[" + strings.Join(each, ", ") + "]"
}

// plain returns a type without the names of parameters and results.
func plain(of ast.Expr) ast.Expr {
	ast.Inspect(of, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncType)
		if !ok {
			return true
		}
		for _, fields := range []*ast.FieldList{f.Params, f.Results} {
			if fields == nil {
				continue
			}
			var all []*ast.Field
			for _, field := range fields.List {
				for range max(len(field.Names), 1) {
					all = append(all, &ast.Field{Type: field.Type})
				}
			}
			fields.List = all
		}
		return true
	})
	return of
}
