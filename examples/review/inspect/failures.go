package inspect

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

var (
	droppedError   = rule{"dropped-error", Correctness, Medium, 0.75, 2}
	comparedError  = rule{"compared-error", Correctness, Low, 0.7, 4}
	matchedError   = rule{"matched-error", Correctness, Medium, 0.85, 2}
	unwrappedError = rule{"unwrapped-error", Correctness, Low, 0.7, 4}
	swallowedPanic = rule{"swallowed-panic", Safety, High, 0.8, 1}
)

// droppedErrors lists calls whose error no one looks at: calls that stand alone
// as a statement, and errors assigned to "_" beside a value that is used. An
// error assigned to "_" alone is a decision the author wrote down, and deferred
// calls have nowhere to return an error to.
func droppedErrors(p *Package) []Finding {
	places := p.calls(func(c inspector.Cursor, call *ast.CallExpr) (string, bool) {
		if !p.returnsError(call) || p.neverFails(call) {
			return "", false
		}
		return "error of " + p.calleeName(call), statement(c) || p.blankBesideValue(c)
	})
	return droppedError.over(places, 0, count(len(places), "call")+" whose error is dropped")
}

func (p *Package) returnsError(call *ast.CallExpr) bool {
	switch t := p.typeOf(call).(type) {
	case *types.Tuple:
		return t.Len() > 0 && isError(t.At(t.Len()-1).Type())
	default:
		return isError(t)
	}
}

// neverFails knows the calls whose error is always nil or of no use: printing
// for a person, closing what failed anyway, writers and hashes in memory, and
// functions of the package that return nothing but nil.
func (p *Package) neverFails(call *ast.CallExpr) bool {
	name := p.callee(call)
	for _, prefix := range harmless {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	if strings.HasSuffix(name, ").Close") || p.returnsOnlyNil(p.calledFunc(call)) {
		return true
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Write") && p.inMemory(sel.X) {
		return true
	}
	return (strings.HasPrefix(name, "fmt.Fprint") || name == "io.WriteString") && len(call.Args) > 0 && p.inMemory(call.Args[0])
}

var harmless = []string{
	"fmt.Print", "(*bytes.Buffer).", "(*strings.Builder).", "(hash.Hash).", "math/rand", "(*math/rand", "crypto/rand.Read",
	"os.Remove", "(net.Conn).Set", "(*bufio.Writer).Write",
}

// inMemory says whether a writer cannot fail, keeps its error until Flush, or
// ends at a person's terminal.
func (p *Package) inMemory(w ast.Expr) bool {
	t := p.typeOf(w)
	for _, n := range [][2]string{
		{"bytes", "Buffer"},
		{"strings", "Builder"},
		{"bufio", "Writer"},
		{"text/tabwriter", "Writer"},
		{"net/http", "ResponseWriter"},
	} {
		if isNamed(t, n[0], n[1]) {
			return true
		}
	}
	if name := types.ExprString(w); t == nil || name == "os.Stdout" || name == "os.Stderr" {
		return true
	}
	name := types.TypeString(t, nil)
	return strings.HasPrefix(name, "hash.") || strings.HasSuffix(name, "Buffer") || strings.HasSuffix(name, "Builder")
}

// returnsOnlyNil says whether every return of a function of the package ends
// in a literal nil.
func (p *Package) returnsOnlyNil(fn *types.Func) bool {
	decl := p.declOf(fn)
	if decl == nil || decl.Body == nil {
		return false
	}
	only := true
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			only = only && len(n.Results) > 0 && isNil(n.Results[len(n.Results)-1])
		}
		return true
	})
	return only
}

// calleeName is how the source calls it: "f.Close".
func (p *Package) calleeName(call *ast.CallExpr) string {
	return types.ExprString(ast.Unparen(call.Fun))
}

// blankBesideValue says whether call's last result goes to "_" while another
// result is kept.
func (p *Package) blankBesideValue(c inspector.Cursor) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 || len(assign.Lhs) < 2 {
		return false
	}
	kept := false
	for _, left := range assign.Lhs[:len(assign.Lhs)-1] {
		kept = kept || !isBlank(left)
	}
	return kept && isBlank(assign.Lhs[len(assign.Lhs)-1])
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// comparedErrors lists == and != between errors, which a wrapped error passes
// by. io.EOF is left out: readers return it bare, by contract.
func comparedErrors(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.BinaryExpr)(nil)) {
		n := c.Node().(*ast.BinaryExpr)
		if n.Op != token.EQL && n.Op != token.NEQ || !isError(p.typeOf(n.X)) || !isError(p.typeOf(n.Y)) {
			continue
		}
		if isNil(n.X) || isNil(n.Y) || p.isEOF(n.X) || p.isEOF(n.Y) || inErrorMethod(p.around(c)) {
			continue
		}
		places = append(places, p.place(c, types.ExprString(n)))
	}
	return comparedError.over(places, 0, count(len(places), "comparison")+" of errors that a wrapped error passes by")
}

func (p *Package) isEOF(e ast.Expr) bool {
	o := p.object(e)
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == "io" && o.Name() == "EOF"
}

// inErrorMethod says whether a function is where == belongs: the Is of an error.
func inErrorMethod(name string) bool {
	return strings.HasSuffix(name, ".Is") || strings.HasSuffix(name, ".As") || strings.HasSuffix(name, ".Unwrap")
}

// matchedErrors lists decisions taken by an error's text.
func matchedErrors(p *Package) []Finding {
	places := p.calls(func(c inspector.Cursor, call *ast.CallExpr) (string, bool) {
		if !p.isErrorText(call) {
			return "", false
		}
		switch n := c.Parent().Node().(type) {
		case *ast.BinaryExpr:
			return types.ExprString(n), n.Op == token.EQL || n.Op == token.NEQ
		case *ast.CallExpr:
			name := p.callee(n)
			return name, strings.HasPrefix(name, "strings.") || strings.HasPrefix(name, "regexp.")
		case *ast.SwitchStmt:
			return "switch " + types.ExprString(call), n.Tag == call
		}
		return "", false
	})
	places = removeTransforms(places)
	return matchedError.over(places, 0, count(len(places), "decision")+" taken by the text of an error")
}

// removeTransforms drops calls that only format an error's text.
func removeTransforms(places []Place) []Place {
	var kept []Place
	for _, at := range places {
		fn := strings.TrimPrefix(at.Note, "strings.")
		if fn == at.Note || strings.HasPrefix(fn, "Contains") || strings.HasPrefix(fn, "Has") || fn == "EqualFold" || fn == "Index" {
			kept = append(kept, at)
		}
	}
	return kept
}

func (p *Package) isErrorText(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Error" && len(call.Args) == 0 && implementsError(p.typeOf(sel.X))
}

// unwrappedErrors lists fmt.Errorf calls that are given an error and flatten it
// to text.
func unwrappedErrors(p *Package) []Finding {
	places := p.calls(func(_ inspector.Cursor, call *ast.CallExpr) (string, bool) {
		if p.callee(call) != "fmt.Errorf" || len(call.Args) < 2 {
			return "", false
		}
		format := p.value(call.Args[0])
		if format == nil || format.Kind() != constant.String || strings.Contains(constant.StringVal(format), "%w") {
			return "", false
		}
		for _, arg := range call.Args[1:] {
			if implementsError(p.typeOf(arg)) {
				return types.ExprString(arg) + " without %w", true
			}
		}
		return "", false
	})
	return unwrappedError.over(places, 0, count(len(places), "error")+" flattened to text, which errors.Is cannot see through")
}

// swallowedPanics lists calls of recover whose result nobody looks at.
func swallowedPanics(p *Package) []Finding {
	places := p.calls(func(c inspector.Cursor, call *ast.CallExpr) (string, bool) {
		return "recover", p.builtin(call, "recover") && (statement(c) || p.assignedToBlank(c))
	})
	return swallowedPanic.over(places, 0, count(len(places), "panic")+" swallowed unseen")
}

func (p *Package) assignedToBlank(c inspector.Cursor) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	return ok && len(assign.Lhs) == 1 && isBlank(assign.Lhs[0])
}
