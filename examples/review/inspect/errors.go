package inspect

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// consequential are calls whose error, when dropped, leaves the program with
// data that is not there.
var consequential = []string{
	"encoding/json.Unmarshal", "(*encoding/json.Decoder).Decode", "encoding/xml.Unmarshal", "(*encoding/xml.Decoder).Decode",
	"(*encoding/gob.Decoder).Decode", "(*database/sql.Tx).Commit", "(*database/sql.Rows).Scan", "(*database/sql.Row).Scan",
	"io.ReadFull", "os.WriteFile", "os.Rename", "(*os.File).Sync", "crypto/rand.Prime",
	"(*database/sql.DB).Exec", "(*database/sql.DB).ExecContext", "(*database/sql.Tx).Exec", "(*database/sql.Tx).ExecContext",
}

// droppedErrors lists such calls where no one looks at the error.
func droppedErrors(p *Package) []Finding {
	places := p.calls(func(c inspector.Cursor, call *ast.CallExpr) (string, bool) {
		name := p.callee(call)
		return "error of " + name, slices.Contains(consequential, name) && (statement(c) || blank(c))
	})
	return rule{"dropped-error", Defect}.at(places, count(len(places), "call")+" whose error is dropped, though what follows relies on it")
}

// blank says whether everything that a call returns goes to "_".
func blank(c inspector.Cursor) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	return ok && len(assign.Rhs) == 1 && !slices.ContainsFunc(assign.Lhs, func(e ast.Expr) bool { return !isBlank(e) })
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// swallowedPanics lists calls of recover whose result nobody looks at.
func swallowedPanics(p *Package) []Finding {
	places := p.calls(func(c inspector.Cursor, call *ast.CallExpr) (string, bool) {
		return "recover", p.builtin(call, "recover") && (statement(c) || blank(c))
	})
	return rule{"swallowed-panic", Defect}.at(places, count(len(places), "panic")+" swallowed unseen")
}

// lostErrors lists returns of nil as an error, or of nothing, by a branch that
// is there because an error is not nil, and does nothing with it.
func lostErrors(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.IfStmt)(nil)) {
		stmt := c.Node().(*ast.IfStmt)
		err := p.notNil(stmt.Cond)
		if err == nil || len(stmt.Body.List) != 1 || !p.returnsError(c) {
			continue
		}
		ret, ok := stmt.Body.List[0].(*ast.ReturnStmt)
		if ok && len(ret.Results) == 1 && isNil(ret.Results[0]) {
			places = append(places, p.place(c, "returns nil for "+err.Name))
		}
	}
	return rule{"lost-error", Defect}.at(places, count(len(places), "error")+" met and answered with nil")
}

// notNil returns the error that a condition "err != nil" tests.
func (p *Package) notNil(cond ast.Expr) *ast.Ident {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok || b.Op.String() != "!=" || !isNil(b.Y) {
		return nil
	}
	id, ok := b.X.(*ast.Ident)
	if !ok || !isError(p.typeOf(id)) {
		return nil
	}
	return id
}

// returnsError says whether the function around c returns one error.
func (p *Package) returnsError(c inspector.Cursor) bool {
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		t := (*ast.FuncType)(nil)
		switch n := f.Node().(type) {
		case *ast.FuncDecl:
			t = n.Type
		case *ast.FuncLit:
			t = n.Type
		}
		return t.Results.NumFields() == 1 && isError(p.typeOf(t.Results.List[0].Type))
	}
	return false
}
