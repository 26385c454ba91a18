package text_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// elsewhere are the files that look at characters for another reason than to cut or escape a
// text that somebody reads.
var elsewhere = map[string]string{
	"agents/models/internal/wire/object.go": "reads JSON in parts, half characters included",
	"agents/reports/normal.go":              "compares texts as a reader sees them",
	"internal/votes/votes.go":               "refuses names",
	"internal/names/names.go":               "compares names as a reader sees them",
	"signals/coordination/note.go":          "refuses summaries",
	"signals/validate.go":                   "refuses names",
	"swarm/rooms/roomlog/label.go":          "separates words",
	"swarm/console/page.go":                 "has the address of the page in it",
	"swarm/claims/written.go":               "refuses answers",
	"swarm/transcript/style.go":             "cuts at columns of a terminal",
}

// tools are the functions with which texts are cut between characters or escaped.
var tools = regexp.MustCompile(`^(strings\.ToValidUTF8|utf8\.RuneStart|unicode\.(IsPrint|IsGraphic|IsControl|C[cfos]?|In)|strconv\.(IsPrint|IsGraphic|Quote\w*ToASCII|Quote\w*ToGraphic)|html\.EscapeString|template\.\w*Escape\w*)$`)

// cutters are what functions that cut or escape are called.
var cutters = regexp.MustCompile(`(?i)^(clip|cut|shorten|truncate|ellipsis|excerpt|escaped?|quoted?|one_?line|printable|plural|sanitize)(text|string|to|line)?$`)

// cuts returns what a file does that this package is for.
func cuts(fset *token.FileSet, file *ast.File) (found []string) {
	say := func(n ast.Node, what string) {
		found = append(found, fmt.Sprintf("line %d: %s", fset.Position(n.Pos()).Line, what))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && tools.MatchString(x.Name+"."+n.Sel.Name) {
				say(n, x.Name+"."+n.Sel.Name)
			}
		case *ast.BinaryExpr:
			if lit, ok := n.Y.(*ast.BasicLit); ok && n.Op == token.ADD && strings.HasPrefix(strings.Trim(lit.Value, "\"`"), "…") && isPart(n.X) {
				say(n, "appends an ellipsis")
			}
		case *ast.FuncDecl:
			if cutters.MatchString(n.Name.Name) && ofTexts(n.Type) && !uses(n, "text") {
				say(n, "func "+n.Name.Name)
			}
		}
		return true
	})
	return found
}

// isPart reports whether an expression is a part of a text, or a text of characters.
func isPart(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "string"
	}
	_, slice := e.(*ast.SliceExpr)
	return slice
}

// ofTexts reports whether a function makes one text of another.
func ofTexts(f *ast.FuncType) bool {
	is := func(list *ast.FieldList) bool {
		if list == nil || len(list.List) == 0 {
			return false
		}
		t, ok := list.List[0].Type.(*ast.Ident)
		return ok && t.Name == "string"
	}
	return is(f.Params) && is(f.Results)
}

func uses(f *ast.FuncDecl, pkg string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.SelectorExpr); ok {
			id, ok := x.X.(*ast.Ident)
			found = found || ok && id.Name == pkg
		}
		return true
	})
	return found
}

func TestNobodyElseCutsOrEscapes(t *testing.T) {
	t.Parallel()
	const root = "../.."
	files, stale := 0, map[string]bool{}
	for file := range elsewhere {
		stale[file] = true
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "internal/text" || name == "examples" || name == "benchmarks" || d.Name() == "testdata" || d.Name() == "node_modules" || path != root && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		files++
		found := cuts(fset, file)
		delete(stale, name)
		switch _, may := elsewhere[name]; {
		case may && found == nil:
			t.Errorf("%s is in the list, and need not be", name)
		case !may:
			for _, what := range found {
				t.Errorf("%s: %s: package internal/text does that", name, what)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
	for file := range stale {
		t.Errorf("%s is in the list, and does not exist", file)
	}
}

func TestCutterIsFound(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		`func clip(s string) string { return s[:9] }`:                   true,
		`func clip(s string) string { return text.Cut(s, 9) }`:          false,
		`func cut(at int) string { return "" }`:                         false,
		`func f(s string) string { return s[:9] + "…" }`:                true,
		`func f(s string) string { return "… " + s }`:                   false,
		`func f(s string) bool { return utf8.RuneStart(s[9]) }`:         true,
		`func f(s string) string { return strconv.QuoteToASCII(s) }`:    true,
		`func f(s string) string { return strings.ToValidUTF8(s, "") }`: true,
		`func f(s string) string { return strings.ToUpper(s) }`:         false,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", "package p\n"+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := cuts(fset, file); (got != nil) != want {
			t.Errorf("%s: found %q", code, got)
		}
	}
}
