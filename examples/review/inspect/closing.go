package inspect

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// unclosedBodies lists files, responses and rows that a function opens, keeps to
// itself and never closes.
func unclosedBodies(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		if len(assign.Rhs) != 1 || len(assign.Lhs) != 2 {
			continue
		}
		call, ok := assign.Rhs[0].(*ast.CallExpr)
		v, _ := p.object(assign.Lhs[0]).(*types.Var)
		if !ok || v == nil || v.Name() == "_" || p.callee(call) == "net/http.ReadResponse" || v.Pos() != assign.Lhs[0].Pos() || !closable(v.Type()) {
			continue
		}
		if p.keptOpen(c, v) {
			places = append(places, p.place(c, v.Name()+" stays open"))
		}
	}
	return rule{"unclosed", Defect}.at(places, count(len(places), "file, body or result set")+" opened and never closed")
}

func closable(t types.Type) bool {
	return isNamed(t, "net/http", "Response") || isNamed(t, "os", "File") || isNamed(t, "database/sql", "Rows")
}

// keptOpen says whether every use of v in the function around its assignment is
// one that neither closes it nor hands it on.
func (p *Package) keptOpen(assign inspector.Cursor, v *types.Var) bool {
	for f := range assign.Enclosing((*ast.FuncDecl)(nil)) {
		for c := range f.Preorder((*ast.Ident)(nil)) {
			id := c.Node().(*ast.Ident)
			if p.object(id) == v && id.Pos() != v.Pos() && !p.harmlessUse(c) {
				return false
			}
		}
		return true
	}
	return false
}

// harmlessUse says whether a use of an open thing, or of its Body, only reads,
// writes or asks it.
func (p *Package) harmlessUse(c inspector.Cursor) bool {
	sel, ok := c.Parent().Node().(*ast.SelectorExpr)
	for ok && sel.X == c.Node() && sel.Sel.Name == "Body" {
		c = c.Parent()
		sel, ok = c.Parent().Node().(*ast.SelectorExpr)
	}
	if ok && sel.X == c.Node() {
		return sel.Sel.Name != "Close"
	}
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || call.Fun == c.Node() {
		return false
	}
	name := p.callee(call)
	return strings.HasPrefix(name, "io.") || strings.HasPrefix(name, "fmt.Fprint") ||
		slices.Contains([]string{"encoding/json.NewDecoder", "encoding/json.NewEncoder", "bufio.NewScanner"}, name)
}
