package inspect

import "go/ast"

var (
	noPackageDoc = rule{"no-package-doc", Docs, Medium, 0.95, 1}
	noDoc        = rule{"no-doc", Docs, Medium, 0.9, 12}
)

// selfEvident are methods whose contract is written down at the interface of
// the standard library that they implement.
var selfEvident = map[string]bool{
	"Error": true, "String": true, "GoString": true, "Format": true, "Unwrap": true, "Is": true, "As": true,
	"Len": true, "Less": true, "Swap": true, "ServeHTTP": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true,
	"MarshalBinary": true, "UnmarshalBinary": true, "AppendText": true, "AppendBinary": true,
}

func missingPackageDoc(p *Package) []Finding {
	var first *File
	for _, f := range p.Files {
		if f.Test {
			continue
		}
		if documented(f.syntax.Doc) {
			return nil
		}
		if first == nil {
			first = f
		}
	}
	if first == nil {
		return nil
	}
	return noPackageDoc.over([]Place{{p.at(first.syntax.Name.Pos()), p.Name, ""}}, 0, "no file documents package "+p.Name)
}

// missingDocs looks at exported names only. A const or var is documented by its
// group, and a comment at the end of its line will do.
func missingDocs(p *Package) []Finding {
	var missing []Place
	total := 0
	for _, f := range p.Files {
		if f.Test {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, n := range docNames(d) {
				total++
				if !n.documented {
					missing = append(missing, Place{p.at(n.id.Pos()), n.name, ""})
				}
			}
		}
	}
	return noDoc.over(missing, total, share(len(missing), total, "exported name")+" without a doc comment")
}

type docName struct {
	id         *ast.Ident
	name       string
	documented bool
}

func docNames(d ast.Decl) []docName {
	switch d := d.(type) {
	case *ast.FuncDecl:
		recv := receiver(d)
		if d.Name.IsExported() && (recv == "" || ast.IsExported(recv) && !selfEvident[d.Name.Name]) {
			return []docName{{d.Name, functionName(d), documented(d.Doc)}}
		}
	case *ast.GenDecl:
		var names []docName
		for _, spec := range d.Specs {
			names = append(names, specNames(d, spec)...)
		}
		return names
	}
	return nil
}

func specNames(d *ast.GenDecl, spec ast.Spec) []docName {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			return []docName{{s.Name, s.Name.Name, documented(d.Doc, s.Doc, s.Comment)}}
		}
	case *ast.ValueSpec:
		var names []docName
		for _, id := range s.Names {
			if id.IsExported() {
				names = append(names, docName{id, id.Name, documented(d.Doc, s.Doc, s.Comment)})
			}
		}
		return names
	}
	return nil
}

// documented says whether one of the comments has words for a reader, not
// directives for a tool.
func documented(comments ...*ast.CommentGroup) bool {
	for _, c := range comments {
		if c.Text() != "" {
			return true
		}
	}
	return false
}
