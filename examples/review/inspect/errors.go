package inspect

import (
	"go/ast"
	"go/token"
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
	places := p.calls(func(c inspector.Cursor, _ *ast.CallExpr, callee string) string {
		if !slices.Contains(consequential, callee) || !ignored(c) {
			return ""
		}
		return "error of " + callee
	})
	return rule{"dropped-error", Defect}.at(places, count(len(places), "call")+" whose error is dropped, though what follows relies on it")
}

// swallowedPanics lists calls of recover whose result nobody looks at.
func swallowedPanics(p *Package) []Finding {
	places := p.calls(func(c inspector.Cursor, _ *ast.CallExpr, callee string) string {
		if callee != "recover" || !ignored(c) {
			return ""
		}
		return callee
	})
	return rule{"swallowed-panic", Defect}.at(places, count(len(places), "panic")+" swallowed unseen")
}

// lostErrors lists branches that are there because an error is not nil, and do
// nothing but return nil as the only result, an error.
func lostErrors(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.IfStmt)(nil)) {
		stmt := c.Node().(*ast.IfStmt)
		if len(stmt.Body.List) != 1 || !p.errorNotNil(stmt.Cond) || !p.returnsOneError(c) {
			continue
		}
		if ret, ok := stmt.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 && named(ret.Results[0], "nil") {
			places = append(places, p.seen(stmt.Pos(), "returns nil for an error"))
		}
	}
	return rule{"lost-error", Defect}.at(places, count(len(places), "error")+" met and answered with nil")
}

// errorNotNil says whether a condition is that an error is not nil.
func (p *Package) errorNotNil(cond ast.Expr) bool {
	b, ok := cond.(*ast.BinaryExpr)
	return ok && b.Op == token.NEQ && p.isError(b.X) && named(b.Y, "nil")
}

// returnsOneError says whether the function around c returns nothing but an error.
func (p *Package) returnsOneError(c inspector.Cursor) bool {
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		switch f := f.Node().(type) {
		case *ast.FuncDecl:
			return f.Type.Results.NumFields() == 1 && p.returnsError(f.Type)
		case *ast.FuncLit:
			return f.Type.Results.NumFields() == 1 && p.returnsError(f.Type)
		}
	}
	return false
}
