package swarmbus_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exportedNames returns what packages export, by the names of the packages: names of top-level
// declarations, and Type.Member for fields and methods. Types that embed others have any member.
func exportedNames(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names := all[parsed.Name.Name]
		if names == nil {
			names = map[string]bool{}
			all[parsed.Name.Name] = names
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					declares(names, spec)
				}
			}
		}
	}
	return all
}

// receiver returns the name of a method's type, with a dot.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

func declares(names map[string]bool, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[n.Name] = true
		}
	case *ast.TypeSpec:
		names[s.Name.Name] = true
		var members *ast.FieldList
		switch of := s.Type.(type) {
		case *ast.StructType:
			members = of.Fields
		case *ast.InterfaceType:
			members = of.Methods
		default:
			names[s.Name.Name+".*"] = s.Assign.IsValid() // an alias
			return
		}
		for _, f := range members.List {
			if f.Names == nil {
				names[s.Name.Name+".*"] = true
			}
			for _, n := range f.Names {
				names[s.Name.Name+"."+n.Name] = true
			}
		}
	}
}

// aName is a name of a package in a document's code: pkg.Name or pkg.Type.Member.
var aName = regexp.MustCompile("`\\*?([a-z][a-z0-9]*)\\.([A-Z]\\w*)(?:\\.([A-Z]\\w*))?(?:\\(\\))?`")

func TestNamesInDocumentsAreExported(t *testing.T) {
	t.Parallel()
	exported := exportedNames(t)
	checked := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		documents, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range documents {
			if name == "CHANGELOG.md" { // has what is gone
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range aName.FindAllStringSubmatch(string(text), -1) {
				of, known := exported[m[1]]
				if !known {
					continue // of the standard library, or another project
				}
				checked++
				member := m[3] == "" || of[m[2]+"."+m[3]] || of[m[2]+".*"]
				if !of[m[2]] || !member {
					t.Errorf("%s: %s: there is no such name", name, m[0])
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d names were checked, which cannot be all", checked)
	}
}
